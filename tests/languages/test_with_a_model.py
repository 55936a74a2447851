"""Documents in German, Spanish and Chinese: read, asked and answered through a language model's endpoint."""

import re
from collections.abc import Iterator, Sequence

import pytest

from polyadic.config import EmbeddingSettings, ModelSettings, Settings
from polyadic.generation.refusals import no_answer
from polyadic.model.types import Turn
from polyadic.text.language import detect_language
from polyadic.text.sentences import sentences
from polyadic.workspace import Workspace
from tests.languages.test_answers import LANGUAGES, TEXTS, questions
from tests.model_server import Asked, ModelServer, facts_by_sentence

_PIECE = re.compile(r"^\[(\d+)\] ((?:.*)(?:\n  .*)*)", re.MULTILINE)
_TITLE = re.compile(r"^From “[^”]*”: ")
ANSWERS = [question for language in LANGUAGES for question in questions(language)]
FOLLOW_UP = {
    "de": ("Wer war Johanna Kessler?", "Wo wurde sie geboren?", "Wo wurde Johanna Kessler geboren?"),
    "es": ("¿Quién era Tomás Arrieta?", "¿Dónde murió?", "¿Dónde murió Tomás Arrieta?"),
    "zh": ("林若川是谁？", "他出生在哪里？", "林若川出生在哪里？"),
}
FOLLOW_UP_QUOTES = {
    "Wo wurde Johanna Kessler geboren?": ["Müllers in Waldkirch"],
    "¿Dónde murió Tomás Arrieta?": ["Murió en Puerto Lucena"],
    "林若川出生在哪里？": ["出生于绍兴"],
}


def well_read(asked: Asked) -> str | None:
    """Says the sentences of the knowledge that answer the question, each with its number, or that there are none."""
    knowledge, _, question = asked.last_user_text.rpartition("\n\nQuestion: ")
    wanted = next((words for ask, words in ANSWERS if ask == question), FOLLOW_UP_QUOTES.get(question, []))
    language = detect_language(question)
    said = []
    for number, piece in _PIECE.findall(knowledge):
        text = _TITLE.sub("", piece)
        for span in sentences(text, language):
            sentence = " ".join(text[span.start : span.end].split())
            if any(words in sentence for words in wanted):
                said.append(f"{sentence} [{number}]")
    return " ".join(said) or "[none]"


def follow_up(asked: Asked) -> str | None:
    _, found, question = asked.last_user_text.partition("\n\nNext question: ")
    return next(whole for _, short, whole in FOLLOW_UP.values() if short == question) if found else None


@pytest.fixture(scope="module", params=LANGUAGES)
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, str]]:
    """A workspace whose facts were read through the endpoint, and its language."""
    language = request.param
    with ModelServer([facts_by_sentence(), follow_up, well_read]) as server:
        model = ModelSettings(name="recorded", base_url=server.url, key_variable="")
        settings = Settings(embedding=EmbeddingSettings(model="hashing"), model=model)
        with Workspace(tmp_path_factory.mktemp(language), settings) as workspace:
            workspace.index([TEXTS / language])
            yield workspace, language


def assert_exact(workspace: Workspace, places: Sequence[tuple[str, int, int, str]]) -> None:
    for source, start, end, quote in places:
        assert workspace.show_document(source).document.text[start:end] == quote


def test_facts_come_from_the_model(asked: tuple[Workspace, str]) -> None:
    workspace, language = asked
    status = workspace.status()
    assert [name.split()[0] for name in status.extractors] == ["recorded"]
    assert status.counts.facts >= 40
    assert len(list((TEXTS / language).glob("*"))) == status.counts.documents


def test_answers_cite_the_right_sentences(asked: tuple[Workspace, str]) -> None:
    workspace, language = asked
    for question, wanted in questions(language):
        answer = workspace.query(question)
        places = [citation.place for citation in answer.citations]
        assert_exact(workspace, [(p.source, p.span.start, p.span.end, p.quote) for p in places])
        assert "recorded" in answer.note and answer.removed == 0
        assert all(any(words in place.quote for place in places) for words in wanted), question
        assert answer.answered is bool(wanted)
        # Where a sentence is cited, it is the one that the answer repeats.
        for place in places:
            assert " ".join(place.quote.split()) in answer.text


def test_refusals_are_in_the_language_of_the_question(asked: tuple[Workspace, str]) -> None:
    workspace, language = asked
    for question in (ask for ask, wanted in questions(language) if not wanted):
        answer = workspace.query(question)
        assert (answer.text, answer.answered, answer.citations) == (no_answer(language), False, ())


def test_follow_up_questions_are_condensed(asked: tuple[Workspace, str]) -> None:
    workspace, language = asked
    before, short, whole = FOLLOW_UP[language]
    answer = workspace.query(short, history=[Turn(before, "…")])
    assert answer.question == whole
    assert FOLLOW_UP_QUOTES[whole][0] in answer.citations[0].place.quote
