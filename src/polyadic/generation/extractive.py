"""Answer without a language model: quote the sentences that answer best, each with its citation.

The sentences of the first passages are scored by a linear model of what tells an answer: words, vectors, the kind of
answer that is asked for, how strongly retrieval found it. One good sentence is an answer; two more are added where they
score nearly as well or have words of the question that those before them lack. Whether to answer at all, and how sure
to be of the first, is learned too. The weights are made by ``python -m benchmarks.learn_ranking``.
"""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from polyadic.generation.candidates import Candidate, candidates
from polyadic.generation.marked import without_markers
from polyadic.generation.phrases import no_answer
from polyadic.identity import normal_text
from polyadic.knowledge import Answer, Citation, Knowledge, Place, Span, Step, Usage
from polyadic.models.embedder import Embedder
from polyadic.relevance.asked import read_asked
from polyadic.relevance.confidence import judge
from polyadic.relevance.logistic import Linear, learned
from polyadic.relevance.sentences import COLUMNS, MARKS_OF_A_LIST, asked_words, sentence_features
from polyadic.store.protocol import Reader
from polyadic.text.function_words import PRONOUNS
from polyadic.text.words import WORD
from polyadic.tracing.spans import step_done

MOST_QUOTED = 3
# A further sentence is quoted where its score is at most this far below the best one's, and less far the surer that one
# is to answer: above SURE the gap shrinks to nothing.
GREATEST_GAP, SURE = 3.0, 0.6
# A further sentence adds less where it is of the same passage, and more where it has words of the question that those
# before it lack: questions that need two documents are answered by both.
SAME_PASSAGE = 0.5
MORE_OF_THE_QUESTION = 5.0
QUOTED = "no language model was asked: the best supporting sentences are quoted"
NO_SUPPORT = "no language model was asked, and no sentence found is likely to answer this"
_ANNOUNCES = (":", "：")
_LONGEST_WITH_CONTEXT = 700


async def quote_answer(knowledge: Knowledge, embedder: Embedder, reader: Reader) -> Answer:
    """Answer from knowledge by quoting it.

    Parameters
    ----------
    knowledge
        What was retrieved.
    embedder
        Compares the question with sentences that have no stored vector.
    reader
        Gives the vectors of those that have one.

    Returns
    -------
    Answer
        With one citation a quotation, each of exactly the quoted characters, and with ``confidence``, how probable it
        is that the first one answers; ``answered`` is false, without citations, where probably no sentence does.
    """
    started = perf_counter()
    asked = read_asked(knowledge.question)
    found = await candidates(knowledge, asked, reader, embedder)
    compared = Step("compare sentences", f"{len(found)} sentences", perf_counter() - started)
    step_done(compared.name)
    features = sentence_features(asked, [candidate.sentence for candidate in found])
    scores = Linear.named(learned("sentences")["score"], COLUMNS).scores(features)
    judgement = judge(asked, features, scores)
    words = asked_words(asked, [candidate.sentence for candidate in found])
    greatest_gap = GREATEST_GAP * min(1.0, (1 - judgement.confidence) / (1 - SURE))
    quotes = _chosen(found, scores, words, greatest_gap) if not judgement.is_refused else []
    chosen = Step(
        "quote",
        f"{len(quotes)} sentences; confidence {judgement.confidence:.2f}",
        perf_counter() - started - compared.seconds,
    )
    step_done(chosen.name)
    return Answer(
        question=knowledge.question,
        text="\n".join(f'"{_quotation(place)}" [{n}]' for n, (place, _) in enumerate(quotes, 1))
        or no_answer(asked.language),
        answered=bool(quotes),
        citations=tuple(Citation(n, place, score) for n, (place, score) in enumerate(quotes, 1)),
        knowledge=knowledge,
        usage=Usage(),
        note="; ".join(filter(None, (QUOTED if quotes else NO_SUPPORT, knowledge.note))),
        trace=(*knowledge.trace, compared, chosen),
        confidence=judgement.confidence,
    )


def _chosen(
    found: Sequence[Candidate], scores: NDArray[np.float64], words: NDArray[np.float64], greatest_gap: float
) -> list[tuple[Place, float]]:
    """The best sentence, and up to two more that add to it, each with what makes it readable.

    The score of each is its odds as a share of the best one's, in (0, 1].
    """
    quoted: list[tuple[Place, float]] = []
    left = np.ones(len(found), dtype=np.bool_)
    said, in_passage = np.zeros(words.shape[1]), np.zeros(len(found))
    adds, best = scores.copy(), scores.max(initial=-np.inf)
    while left.any() and len(quoted) < MOST_QUOTED:
        place = int(np.argmax(np.where(left, adds, -np.inf)))
        gap = float(best - adds[place])
        if gap > greatest_gap:
            break
        left[place] = False
        # Where what it leans on is quoted already, it stands alone.
        ways = (_readable(place, found), found[place].place)
        readable = next((way for way in ways if not any(_overlap(way, other) for other, _ in quoted)), None)
        if readable is None:
            continue
        quoted.append((readable, float(np.exp(-max(0.0, gap)))))
        said = np.maximum(said, words[place])
        in_passage += [one.passage is found[place].passage for one in found]
        adds = scores + MORE_OF_THE_QUESTION * np.maximum(words - said, 0).sum(axis=1) - SAME_PASSAGE * in_passage
    return quoted


def _overlap(first: Place, second: Place) -> bool:
    return first.document_id == second.document_id and (
        first.span.start < second.span.end and second.span.start < first.span.end
    )


def _readable(place: int, found: Sequence[Candidate]) -> Place:
    """The characters of a sentence, with what makes it readable: what it leans on, and the items that it announces."""
    own = found[place]
    first = last = place
    words = WORD.findall(own.place.quote.lower()[:40])
    if place and words and words[0] in PRONOUNS and _follows(found[place - 1], own):
        first = place - 1
    announced = _announcing(place, found)
    if announced is not None and _fits(found[announced], own):
        first = announced
    if own.place.quote.rstrip().endswith(_ANNOUNCES):
        while last + 1 < len(found) and _follows(found[last], found[last + 1]) and _fits(own, found[last + 1]):
            last += 1
    return _joined(found[first : last + 1])


def _announcing(place: int, found: Sequence[Candidate]) -> int | None:
    """The sentence that announces the list of which this one is an item; None where it is none, or nothing does."""
    first = place
    while first and found[first].sentence.text.startswith(MARKS_OF_A_LIST) and _follows(found[first - 1], found[first]):
        first -= 1
    return first if first < place and found[first].place.quote.rstrip().endswith(_ANNOUNCES) else None


def _fits(first: Candidate, last: Candidate) -> bool:
    return last.place.span.end - first.place.span.start <= _LONGEST_WITH_CONTEXT


def _follows(first: Candidate, second: Candidate) -> bool:
    """Whether a sentence stands right after another, with white space and marks of lists alone between them."""
    if first.passage is not second.passage:
        return False
    origin = first.passage.span.start
    between = first.passage.quote[first.place.span.end - origin : second.place.span.start - origin]
    return first.place.span.end <= second.place.span.start and not between.strip()


def _joined(parts: Sequence[Candidate]) -> Place:
    """The characters of sentences that stand one after the other in a passage."""
    passage, first = parts[0].passage, parts[0].place
    start, end = first.span.start - passage.span.start, parts[-1].place.span.end - passage.span.start
    return replace(passage.part(Span(start, end)), headings=first.headings)


def _quotation(place: Place) -> str:
    """The words of a place on one line; a document's own ``[2]`` is no citation of ours."""
    return without_markers(normal_text(place.quote))
