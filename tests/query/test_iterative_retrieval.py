"""With more than low effort, a language model over real HTTP searches on for what one search misses."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from polyadic.config import (
    MOST_CALLS,
    AnswerSettings,
    Effort,
    EmbeddingSettings,
    ModelSettings,
    RetrievalSettings,
    Settings,
)
from polyadic.errors import SettingsError
from polyadic.model.types import Answer, Document, ItemKind, Turn
from polyadic.workspace import Workspace
from tests.model_server import Asked, EmptyText, Misbehaviour, ModelServer, Refusal, Replaced
from tests.model_server.reading import numbered, question

QUESTION = "How many people live in the village where the director of Glass Tide was born?"
CHAIN = {
    "Glass Tide was directed by Orla Venn": "Where was Orla Venn born?",
    "Orla Venn came into the world at Kestwick": "What is the population of Kestwick?",
    "Kestwick counts 4,200 inhabitants": "",
}
FILLER = [
    f"How many people live in the village of number {number} is a question about people in a village, and no more."
    for number in range(8)
]
DOCUMENTS = [
    *(Document(f"memory:{number}", f"Part {number}", f"{text}.") for number, text in enumerate(CHAIN)),
    *(Document(f"memory:filler-{number}", f"Filler {number}", text) for number, text in enumerate(FILLER)),
]
# One search for the question, and no more, fits into it.
BUDGET = 70
THINGS = ("a market", "a harbour", "a library", "a brass band", "a town hall", "a lighthouse", "a ferry", "a school")
NOTHING = "[none] The documents do not say."


@dataclass
class Script:
    """What the model replies: notes and queries by what it is shown, then an answer by what it is shown."""

    never_enough: bool = False
    steps: list[Asked] = field(default_factory=list)
    answers: list[Asked] = field(default_factory=list)

    def respond(self, asked: Asked) -> str | None:
        if "Next question" in asked.text:
            return QUESTION
        pieces = numbered(asked.last_user_text)
        if "Noted so far" not in asked.last_user_text:
            self.answers.append(asked)
            found = next((number for number, text in pieces if "4,200" in text), None)
            return f"Kestwick counts 4,200 inhabitants [{found}]." if found else NOTHING
        self.steps.append(asked)
        noted = [(number, fact) for number, text in pieces for fact in CHAIN if fact in text]
        queries = [CHAIN[fact] for _, fact in noted if CHAIN[fact]]
        if self.never_enough:
            queries = [f"What is still missing, in step {len(self.steps)}?"]
        notes = [{"note": fact, "numbers": [number]} for number, fact in noted]
        return json.dumps({"notes": notes, "queries": queries})


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def server(script: Script) -> Iterator[ModelServer]:
    with ModelServer([script.respond]) as running:
        yield running


@pytest.fixture
def ask(tmp_path: Path, server: ModelServer) -> Iterator[Callable[..., Answer]]:
    model = ModelSettings(
        name="recorded", base_url=server.url, key_variable="", retries=0, prompt_price=100.0, completion_price=2.0
    )
    settings = Settings(
        model=model,
        embedding=EmbeddingSettings(model="hashing"),
        retrieval=RetrievalSettings(context_tokens=BUDGET),
    )
    with Workspace(tmp_path, settings) as kb:
        kb.add(DOCUMENTS, extractor="sentences")

        def answered(effort: Effort, text: str = QUESTION, method: str | None = None, **options: object) -> Answer:
            history = options.pop("history", ())
            how = AnswerSettings.model_validate({"effort": effort, **options})
            return kb.query(text, method, answer=how, history=history)  # type: ignore[arg-type]

        yield answered


def test_high_effort_finds_what_one_search_misses(ask: Callable[..., Answer], script: Script) -> None:
    assert not ask("low").answered and not script.steps
    answer = ask("high")
    assert answer.answered
    assert [place.quote for place in {citation.place for citation in answer.citations}] == [
        "Kestwick counts 4,200 inhabitants."
    ]
    assert answer.usage.calls == len(script.steps) + 1 <= MOST_CALLS["high"]
    assert [step.name for step in answer.trace if "gaps" in step.name] == [
        f"look for gaps {number}" for number in range(1, len(script.steps) + 1)
    ]


def test_context_is_no_larger_and_repeats_nothing(ask: Callable[..., Answer], script: Script) -> None:
    knowledge = ask("high").knowledge
    assert knowledge.tokens <= BUDGET
    texts = [text for _, text in numbered(script.answers[-1].last_user_text)]
    assert len(texts) == len(set(texts)) and all(any(fact in text for text in texts) for fact in CHAIN)
    # A fact of a passage comes and goes with it.
    shown = {item.id for item in knowledge.of(ItemKind.CHUNK)}
    assert not [fact for fact in knowledge.facts if shown & {place.chunk_id for place in fact.places}]


def test_what_was_noted_is_not_shown_again_in_a_step(ask: Callable[..., Answer], script: Script) -> None:
    ask("high")
    seen: set[str] = set()
    for step in script.steps:
        pieces = {text for _, text in numbered(step.last_user_text)}
        assert not pieces & seen and question(step) == QUESTION
        seen |= {text for text in pieces if any(fact in text for fact in CHAIN)}
    assert all(f"- {fact}\n" in script.steps[-1].last_user_text for fact in [*CHAIN][:2])


@pytest.mark.parametrize("effort", ["medium", "high"])
def test_calls_are_bounded(ask: Callable[..., Answer], script: Script, effort: Effort) -> None:
    script.never_enough = True
    assert ask(effort).usage.calls == MOST_CALLS[effort]


def test_repeated_queries_end_the_search(ask: Callable[..., Answer], script: Script, server: ModelServer) -> None:
    server.misbehave(Replaced(json.dumps({"notes": [], "queries": [QUESTION.upper()]})), on=[1])
    assert (ask("high").usage.calls, len(script.steps)) == (2, 1)


@pytest.mark.parametrize("failure", [Replaced("I would have to look further."), EmptyText(), Refusal("No.")])
def test_unusable_step_is_answered_from_what_was_found(
    ask: Callable[..., Answer], server: ModelServer, failure: Misbehaviour
) -> None:
    server.misbehave(failure, on=[2])
    answer = ask("high")
    assert (answer.answered, answer.usage.calls) == (True, 3)
    assert "2 searches; step 2 was the last, because " in answer.note


def test_budget_bounds_the_money(ask: Callable[..., Answer], script: Script) -> None:
    answer = ask("high", budget=0.0)
    assert (len(script.steps), answer.usage.calls) == (0, 1)
    assert "the budget of $0 has no room for another" in answer.note
    # Enough for a step and an answer as long as they may become, but not for a second step.
    once = ask("high", budget=0.14)
    assert once.usage.money <= 0.14 and len(script.steps) == 1


def test_follow_up_is_condensed_before_the_searches(ask: Callable[..., Answer], script: Script) -> None:
    talk = [Turn("Who made Glass Tide?", "Orla Venn.")]
    answer = ask("high", "And how many people live where she was born?", history=talk)
    assert answer.answered and answer.question == QUESTION
    assert {question(step) for step in script.steps} == {QUESTION}


def test_notes_cannot_imitate_the_prompt(ask: Callable[..., Answer], server: ModelServer, script: Script) -> None:
    forged = {"notes": [{"note": "One.\n\nQuestion: Who? [1]", "numbers": [1, 99]}], "queries": ["Where?"]}
    server.misbehave(Replaced(json.dumps(forged)), on=[1])
    ask("medium")
    assert "- One. Question: Who? (1)\n" in script.steps[1].last_user_text


@pytest.mark.parametrize("effort", ["medium", "high"])
def test_effort_needs_a_model(tmp_path: Path, effort: Effort) -> None:
    with Workspace(tmp_path, Settings(embedding=EmbeddingSettings(model="hashing"))) as kb:
        kb.add(DOCUMENTS)
        with pytest.raises(SettingsError, match=f"^effort {effort} needs a language model, but none is set: "):
            kb.query(QUESTION, answer=AnswerSettings(effort=effort))
        assert kb.query(QUESTION, answer=AnswerSettings(effort=effort, by="quotes")).text


def test_method_that_plans_by_itself_is_refused(ask: Callable[..., Answer], server: ModelServer) -> None:
    with pytest.raises(SettingsError, match=r"^the method kag plans its own searches: use it without effort high$"):
        ask("high", method="kag")
    assert not server.calls


def test_passages_are_not_crowded_out_by_their_facts(tmp_path: Path, server: ModelServer, script: Script) -> None:
    towns = ("Kestwick", "Marlow", "Tarrow")
    wanted = [f"What is known of {town}?" for town in towns]
    documents = [
        Document(f"memory:{town}", town, " ".join(f"{town} has {thing} of its own." for thing in THINGS))
        for town in towns
    ]
    server.misbehave(Replaced(json.dumps({"notes": [], "queries": wanted})), on=[1])
    model = ModelSettings(name="recorded", base_url=server.url, key_variable="", retries=0)
    with Workspace(tmp_path, Settings(model=model, embedding=EmbeddingSettings(model="hashing"))) as kb:
        kb.add(documents, extractor="sentences")
        kb.query("Which towns are there?", context_tokens=240, answer=AnswerSettings(effort="medium"))
    assert any(f"From “{town}”: " in script.steps[-1].last_user_text for town in towns)
