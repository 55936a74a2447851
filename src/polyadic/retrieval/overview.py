"""What a question about the whole is answered from: the sentences that are central to the documents.

Where a hierarchy has been built, its largest communities are the themes, and each is told by its report. Where none
has, a theme is an entity with much PageRank on the graph of facts and entities, told by the fact that joins most of
such mass. Of a large store a sample of facts is read (by identifier, which is a digest, so it is a random one), so the
cost does not grow with the store. Documents without facts are told by the sentences that open their passages.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from polyadic.model.hierarchy import EXTRACTIVE
from polyadic.model.identity import loose_name, normal_text
from polyadic.model.types import Item, ItemKind, Knowledge, SourceSpan, Span
from polyadic.retrieval.community_search import NearCommunity, search_communities
from polyadic.retrieval.graph_pagerank import Floats, pagerank
from polyadic.retrieval.hierarchy_nodes import entities_in
from polyadic.retrieval.token_budget import knowledge
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Hits, Reader, Rows
from polyadic.text.central_sentences import is_central, is_theme, is_whole, theme_name, without_number
from polyadic.text.language import detect_language
from polyadic.text.sentences import sentences
from polyadic.text.tokens import count_tokens

NAME = "overview"
SAMPLE = 4_000
"""Facts that are read at most; of a smaller store all of them."""
THEMES = 6

_NOTHING = np.zeros(0, dtype=np.int64)
_CENTRAL, _CONSIDERED = 100, 40
_FACTS_OF_A_THEME, _CHUNKS_OF_A_THEME = 25, 2
_COMMUNITIES = 8
_CHUNKS = 60
_DAMPING = 0.85
# A sentence that opens its document says what this is about; one that begins with a name says what that is.
_OPENING, _SUBJECT = 400, 5
_SUBJECT_WEIGHT = 3.0
# What other entities of a sentence add, so many at most: a sentence that lists everything is about nothing.
_OTHERS, _OTHERS_WEIGHT = 3, 0.3
# An entity that no sentence begins with ("American") is a property of others, and hardly a theme.
_LEAST_SUBJECT = 0.1
# Each further sentence of one document counts this much less, beyond its share of all facts.
_SAME_DOCUMENT = 0.4
# What stands in so many documents alike is a header, a licence or a signature.
_BOILERPLATE = 3


@dataclass(frozen=True, slots=True)
class OverviewTheme:
    """A theme with the sentence that tells it; ``score`` is comparable within one overview.

    ``report`` is what a language model said of it, empty where none did.
    """

    name: str
    place: SourceSpan
    score: float
    entities: tuple[str, ...] = ()
    report: str = ""

    @property
    def kind(self) -> ItemKind:
        if self.report:
            return ItemKind.REPORT
        return ItemKind.FACT if self.entities else ItemKind.CHUNK

    @property
    def text(self) -> str:
        return self.report or normal_text(self.place.quote)


def overview(question: str, reader: Reader, context_tokens: int) -> Knowledge:
    """The themes of what a reader sees, the most central first, each a sentence of a document.

    An item's ``why`` names its theme. What a language model reported is a report, and rests on the sentence.
    """
    trace = Trace()
    themes, how = _themes(reader)
    if len({theme.place.document_id for theme in themes}) > 1:
        themes = [replace(theme, name=_with_title(theme)) for theme in themes]
    trace.done("overview", f"{len(themes)} themes from {how}")
    counts = count_tokens([theme.text for theme in themes])
    items = [
        Item(
            theme.kind,
            f"{theme.place.document_id}:{theme.place.span.start}",
            theme.text,
            theme.score,
            theme.name,
            tokens,
            (theme.place,),
            theme.entities,
        )
        for theme, tokens in zip(themes, counts, strict=True)
    ]
    return knowledge(question, NAME, items, context_tokens, trace)


def _with_title(theme: OverviewTheme) -> str:
    """The name of a theme and the title of the document that tells of it, unless one says the other."""
    shown = theme.place.title or Path(theme.place.source).name
    name, title = loose_name(theme.name), loose_name(shown)
    return theme.name if not title or name in title or title in name else f"{theme.name} ({shown})"


def _themes(reader: Reader) -> tuple[list[OverviewTheme], str]:
    sample = reader.identified("fact", "", SAMPLE)
    if len(sample):
        graph = _Graph.of(sample, reader)
        communities = _communities(graph, reader)
        named = _of_communities(communities, graph, reader)
        if len(named) > 1:
            return named, f"{len(named)} communities"
        found = _of_entities(graph, reader)
        if found:
            return found, f"the most central of {len(graph.entities)} entities in {len(sample)} facts"
    return _openings(reader), "the openings of passages"


@dataclass(frozen=True, slots=True)
class _Graph:
    """Facts, their entities, and the PageRank mass of each entity (in the order of ``entities``, shape (n,))."""

    facts: Rows
    entities: Rows
    mass: Floats
    documents: Counter[str]
    """How many of the facts each document has."""

    @classmethod
    def of(cls, facts: Rows, reader: Reader) -> "_Graph":
        links = reader.entities_of(facts)
        facts, sources = np.unique(links.sources, return_inverse=True)
        entities, targets = np.unique(links.targets, return_inverse=True)
        edges = np.stack([sources, targets + len(facts)])
        seeds = np.ones(len(facts) + len(entities))
        mass = pagerank(edges, np.ones(edges.shape[1]), seeds, _DAMPING)[len(facts) :]
        documents = Counter(places[0].document_id for places in reader.fact_places(facts) if places)
        return cls(facts, entities, mass, documents)

    def central(self, most: int) -> Rows:
        return self.entities[np.argsort(-self.mass, kind="stable")[:most]]

    def due(self, document: str) -> float:
        """How many themes a document may tell by its size; one at least."""
        return max(1.0, THEMES * self.documents[document] / max(1, self.documents.total()))

    def mass_of(self, entities: Rows) -> Floats:
        """Of entities that are not in the sample, the least."""
        at = np.minimum(np.searchsorted(self.entities, entities), len(self.entities) - 1)
        known = self.entities[at] == entities
        return np.where(known, self.mass[at], float(self.mass.min()))


def _communities(graph: _Graph, reader: Reader) -> list[NearCommunity]:
    """The communities that hold most of the central entities, each bringing others."""
    themes = reader.themes()
    if not themes.community_count:
        return []
    central = graph.central(_CENTRAL)
    return search_communities(Hits(central, graph.mass_of(central).astype(np.float32)), _COMMUNITIES, themes, again=0.0)


def _of_communities(communities: Sequence[NearCommunity], graph: _Graph, reader: Reader) -> list[OverviewTheme]:
    """Each community by the title of its report, and the central sentence among the facts of the central members."""
    themes = reader.themes()
    rows = np.array([near.row for near in communities], dtype=np.int64)
    choice = _Choice(graph, reader)
    found = []
    for near, community in zip(communities, themes.communities(rows), strict=True):
        if community.report is None:
            continue
        cited = themes.facts(sorted({fact for one in community.report.findings for fact in one.facts}))
        facts = np.union1d(cited, choice.facts_of(entities_in(near.holds)[:3]))
        chosen = choice.best(facts)
        if chosen is not None:
            title, summary, by = community.report.title, community.report.summary, community.report.by
            found.append(replace(chosen, name=title, report=f"{title}. {summary}" if by != EXTRACTIVE else ""))
    return found[:THEMES]


def _of_entities(graph: _Graph, reader: Reader) -> list[OverviewTheme]:
    """In turn the most central entity of which no sentence before has told, by its best sentence.

    A document tells no more of them than it is due, unless the others tell too few.
    """
    choice = _Choice(graph, reader)
    found: list[OverviewTheme] = []
    further: list[OverviewTheme] = []
    by_document: Counter[str] = Counter()
    told: set[str] = set()
    for name, facts, about, _ in sorted(_candidates(graph, choice, reader), key=lambda one: -one[3]):
        loose = loose_name(name)
        if loose in told or any(loose in loose_name(theme.name) for theme in found):
            continue
        chosen = choice.best(facts, about, name)
        if chosen is None:
            continue
        theme = replace(chosen, name=theme_name(name))
        by_document[theme.place.document_id] += 1
        many = by_document[theme.place.document_id] > math.ceil(graph.due(theme.place.document_id))
        (further if many else found).append(theme)
        told |= {loose, *(loose_name(other) for other in chosen.entities)}
        if len(found) == THEMES:
            break
    return (found + further)[:THEMES]


def _candidates(graph: _Graph, choice: "_Choice", reader: Reader) -> Iterator[tuple[str, Rows, Rows, float]]:
    """Central entities with their facts and passages; each is worth its mass, if sentences are about it."""
    central = graph.central(_CENTRAL)
    language = detect_language(" ".join(fact.text for fact in reader.facts(graph.facts[:_CENTRAL])))
    named = [
        (row, entity.name)
        for row, entity in zip(central.tolist(), reader.entities(central), strict=True)
        if is_theme(entity.name, language)
    ][:_CONSIDERED]
    for row, name in named:
        entity = np.array([row], dtype=np.int64)
        facts = choice.facts_of(entity)
        said = [fact.text for fact in reader.facts(facts)]
        share = sum(_begins_with(name, text) for text in said) / max(1, len(said))
        yield name, facts, choice.about(entity), float(graph.mass_of(entity)[0]) * (_LEAST_SUBJECT + share)


def _begins_with(name: str, sentence: str) -> bool:
    """Whether a sentence is about a name, but for an article or a preposition before it."""
    at = sentence.casefold().find(name.casefold())
    return 0 <= at <= _SUBJECT


class _Choice:
    """Chooses sentences, none twice, spread over documents."""

    def __init__(self, graph: _Graph, reader: Reader) -> None:
        self._graph = graph
        self._reader = reader
        self._said: set[str] = set()
        self._documents: Counter[str] = Counter()

    def facts_of(self, entities: Rows) -> Rows:
        """Facts of these entities, a bounded number of each, and those of the passages that are about them."""
        links = self._reader.facts_of(entities, _FACTS_OF_A_THEME, self._reader.directions(entities))
        about = self.about(entities)
        return np.union1d(links.targets, self._reader.facts_in(about, _FACTS_OF_A_THEME).targets)

    def about(self, entities: Rows) -> Rows:
        """Passages about these entities, the first ones of their documents."""
        return np.unique(self._reader.titled(entities, _CHUNKS_OF_A_THEME).targets)

    def best(self, facts: Rows, about: Rows = _NOTHING, name: str = "") -> OverviewTheme | None:
        """The sentence with the most mass of entities.

        It counts for more if it opens its document or begins with the name of the theme, and for less if its document
        has been quoted.
        """
        links = self._reader.entities_of(facts)
        mass = self._graph.mass_of(links.targets)
        told = zip(facts.tolist(), self._reader.facts(facts), self._reader.fact_places(facts), strict=True)
        candidates = [
            OverviewTheme("", sentence, float(mass.max(initial=0.0)) * self._weight(sentence, name), (name,))
            for sentence in self._opening(about)
            if normal_text(sentence.quote) not in self._said
        ]
        for row, fact, places in told:
            if len({place.document_id for place in places}) >= _BOILERPLATE:
                continue
            for sentence in [_sentence(place, fact.entities) for place in places[:1]]:
                if sentence is None or normal_text(sentence.quote) in self._said:
                    continue
                masses = np.sort(mass[links.sources == row])[::-1]
                worth = float(masses[0] + _OTHERS_WEIGHT * masses[1 : 1 + _OTHERS].sum())
                candidates.append(OverviewTheme("", sentence, worth * self._weight(sentence, name), fact.entities))
        best = max(candidates, key=lambda theme: theme.score, default=None)
        if best is not None:
            self._said.add(normal_text(best.place.quote))
            self._documents[best.place.document_id] += 1
        return best

    def _opening(self, chunks: Rows) -> Iterator[SourceSpan]:
        """The sentence that opens the document of these passages, if they begin it."""
        places = sorted(self._reader.chunk_places(chunks), key=lambda place: (place.span.start, place.source))
        for place in places[:1]:
            first = next(_quotable(place), None)
            if first is not None and first.span.start < _OPENING:
                yield first

    def _weight(self, sentence: SourceSpan, name: str) -> float:
        further = self._documents[sentence.document_id] / self._graph.due(sentence.document_id)
        opening = 1.0 + math.exp(-sentence.span.start / _OPENING)
        subject = _SUBJECT_WEIGHT if name and _begins_with(name, normal_text(sentence.quote)) else 1.0
        return float(opening * subject * _SAME_DOCUMENT**further)


def _sentence(place: SourceSpan, names: Sequence[str]) -> SourceSpan | None:
    """The sentence of a place that names most, if it can be quoted by itself."""
    lowered = [name.casefold() for name in names]
    whole = _quotable(place) if place.quote else ()
    return max(whole, key=lambda part: sum(name in part.quote.casefold() for name in lowered), default=None)


def _openings(reader: Reader) -> list[OverviewTheme]:
    """The first sentence that can be quoted of each document in a sample of passages."""
    rows = reader.identified("chunk", "", _CHUNKS)
    places = sorted(reader.chunk_places(rows), key=lambda place: (place.span.start, place.source))
    found: dict[str, OverviewTheme] = {}
    for place in places:
        whole = (place.part(span) for span in sentences(place.quote, detect_language(place.quote)))
        first = next(_quotable(place), None) or next((part for part in whole if is_whole(part.quote)), None)
        if first is not None:
            found.setdefault(place.document_id, OverviewTheme(place.title, first, 1.0 / (1.0 + place.span.start)))
    return list(found.values())[:THEMES]


def _quotable(place: SourceSpan) -> Iterator[SourceSpan]:
    """The sentences of a place that can be quoted by themselves, without the numbers of their paragraphs."""
    language = detect_language(place.quote)
    for span in sentences(place.quote, language):
        start = span.start + without_number(place.quote[span.start : span.end])
        if start < span.end and is_central(place.quote[start : span.end], language):
            yield place.part(Span(start, span.end))
