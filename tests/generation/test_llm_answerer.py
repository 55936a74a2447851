"""Answers by a language model from hand-made knowledge, over real HTTP."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyadic.config import AnswerSettings, ModelSettings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.errors import ModelUnavailable, NoReply
from polyadic.generation.citation_parser import CitedText
from polyadic.generation.context import PromptContext
from polyadic.generation.llm_answerer import NOTHING_FOUND, LLMAnswerer
from polyadic.generation.refusals import no_answer
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import LanguageModel, ModelReply, ModelRequest
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import (
    Answer,
    Citation,
    Document,
    Item,
    ItemKind,
    Knowledge,
    RetrievalSection,
    SourceSpan,
    Span,
    TraceStep,
    Usage,
)
from polyadic.text.tokens import count_tokens
from tests.model_server import CutText, EmptyText, ModelServer, NullContent, Refusal, Said, Status, says
from tests.support.examples import examples

ADA = Document("memory:ada", "Ada Lovelace", "She wrote the first program in 1843. She was a daughter of Lord Byron.")
BRIDGE = Document("memory:bridge", "", "The bridge was opened in 1875. Johanna Kessler designed it.")


def knowledge(
    *documents: Document, question: str = "Who wrote the first program?", retrieves: bool = True
) -> Knowledge:
    items = []
    for document in documents:
        place = SourceSpan(
            document.id, document.source, document.title, "c", Span(0, len(document.text)), document.text
        )
        items.append(Item(ItemKind.CHUNK, document.id, document.text, 1.0, "", 20, (place,)))
    trace = (TraceStep("find", "by hand", 0.5),)
    return Knowledge(question, "by hand", tuple(items), 20 * len(items), 0, trace, retrieves=retrieves)


KNOWN = knowledge(ADA, BRIDGE)


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def model(server: ModelServer, **changes: object) -> EndpointModel:
    chosen = {"name": "recorded", "base_url": server.url, "key_variable": "", "retries": 0, **changes}
    return EndpointModel(ModelSettings.model_validate(chosen))


def answerer(
    asked: LanguageModel, form: Literal["plain", "think"] = "plain", style: str = "", context_tokens: int = 4000
) -> LLMAnswerer:
    how = AnswerSettings(format=form, style=style)
    return LLMAnswerer(asked, PromptLibrary(), how, HashingEmbedder(), context_tokens)


async def both(
    server: ModelServer, known: Knowledge, form: Literal["plain", "think"], style: str
) -> tuple[Answer, list[str]]:
    asked = model(server)
    try:
        who = answerer(asked, form, style)
        whole = await who.answer(known)
        pieces = [piece async for piece in who.stream(known)]
    finally:
        await asked.close()
    *texts, last = pieces
    assert isinstance(last, Answer)
    assert "".join(map(str, texts)) == last.text == whole.text
    assert (last.citations, last.note, last.usage, last.reasoning) == (
        whole.citations,
        whole.note,
        whole.usage,
        whole.reasoning,
    )
    return whole, [str(text) for text in texts]


def answer(
    server: ModelServer,
    reply: str | Said,
    known: Knowledge = KNOWN,
    form: Literal["plain", "think"] = "plain",
    style: str = "",
) -> Answer:
    """The answer, which is the same whole and in pieces."""
    server.responders = [says(reply)]
    return asyncio.run(both(server, known, form, style))[0]


def test_answer_has_citations(server: ModelServer) -> None:
    server.reset()
    given = answer(server, "Johanna Kessler designed it [2]. Ada was a daughter of Byron [1][2].")
    assert given.text == "Johanna Kessler designed it [1]. Ada was a daughter of Byron [2][1]."
    assert given.answered and given.removed == 0
    assert [(c.marker, c.place.quote) for c in given.citations] == [
        (1, "Johanna Kessler designed it."),
        (2, "She was a daughter of Lord Byron."),
        (1, "Johanna Kessler designed it."),
    ]
    assert [(claim.supported, claim.citations) for claim in given.claims] == [(True, (0,)), (True, (1, 2))]
    assert given.unsupported == ()
    assert given.note == "answered by recorded"
    assert [step.name for step in given.trace] == ["find", "ask recorded", "check the citations"]
    assert given.usage == Usage(1, server.calls[0].prompt_tokens, server.calls[0].completion_tokens)
    sent = server.asked[0]
    assert [message.role for message in sent.messages] == ["system", "user"]
    assert "[2] The bridge was opened in 1875." in sent.last_user_text
    assert sent.last_user_text.endswith("Question: Who wrote the first program?")


def test_unsupported_claim_is_flagged(server: ModelServer) -> None:
    given = answer(server, "Johanna Kessler designed it [2]. The bridge was opened in 1857 [2].")
    assert given.unsupported == ("The bridge was opened in 1857",)
    checked = "1 of 2 cited claims supported"
    assert [step.detail for step in given.trace if step.name == "check the citations"] == [checked]


def test_citations_name_the_extractor(server: ModelServer) -> None:
    place = SourceSpan("d", "memory:d", "", "c", Span(0, 9), "Ada wrote", extractor="sentences en")
    fact = Item(ItemKind.FACT, "f", "Ada wrote it", 1.0, "", 3, (place,), ("Ada",))
    known = replace(KNOWN, items=(*KNOWN.items, fact))
    assert answer(server, "Ada [1].", known).note == "answered by recorded; facts read by sentences en"
    lacking = replace(known, note="something was lacking")
    note = "answered by recorded; facts read by sentences en; something was lacking"
    assert answer(server, "Ada [1].", lacking).note == note
    unfound = answer(server, "Ada [1].", replace(lacking, items=()))
    assert unfound.note.endswith("so no language model was asked; something was lacking")


@pytest.mark.parametrize(
    ("reply", "text", "removed", "note"),
    [
        (
            "Ada [7].",
            "Ada.",
            1,
            "; it cites nothing: check it before you rely on it; 1 invalid citation was removed",
        ),
        ("Ada [1][7][9].", "Ada [1].", 2, "; 2 invalid citations were removed"),
        ("Ada.", "Ada.", 0, "; it cites nothing: check it before you rely on it"),
    ],
)
def test_invalid_markers_are_reported(server: ModelServer, reply: str, text: str, removed: int, note: str) -> None:
    given = answer(server, reply)
    assert (given.text, given.removed, given.note) == (text, removed, f"answered by recorded{note}")


@pytest.mark.parametrize(
    ("question", "reply", "text"),
    [
        ("Who was he?", "[none] The documents do not say.", "The documents do not say."),
        ("Wer war das?", "[none]", no_answer("de")),
        ("他是谁？", "[none] ", no_answer("zh")),
    ],
)
def test_model_refusal_gives_no_answer(server: ModelServer, question: str, reply: str, text: str) -> None:
    given = answer(server, reply, knowledge(ADA, question=question))
    assert (given.text, given.answered, given.citations, given.note) == (text, False, (), "answered by recorded")


def test_model_is_not_called_without_knowledge(server: ModelServer) -> None:
    server.reset()
    given = answer(server, "Ada.", knowledge(question="¿Quién escribió el primer programa?"))
    assert (given.text, given.answered, given.note) == (no_answer("es"), False, NOTHING_FOUND)
    assert (server.asked, given.usage) == ([], Usage())


LONG = knowledge(Document("memory:long", "", "The engine has a wheel. " * 600))


@pytest.mark.parametrize(
    ("limits", "context_tokens", "known", "problem"),
    [
        ({}, 9, KNOWN, r"fits into 9 tokens, so recorded was not asked: raise context_tokens under \[retrieval\]"),
        ({}, 9, replace(KNOWN, items=(), omitted=3), "fits into 9 tokens"),
        (
            {"context_tokens": 2000},
            4000,
            LONG,
            r"holds 2000, question and answer included: set context_tokens of the model to what it holds",
        ),
    ],
)
def test_model_is_not_called_if_nothing_fits(
    server: ModelServer, limits: dict[str, object], context_tokens: int, known: Knowledge, problem: str
) -> None:
    server.reset()
    who = answerer(model(server, **limits), context_tokens=context_tokens)
    with pytest.raises(NoReply, match=problem):
        asyncio.run(who.answer(known))
    with pytest.raises(NoReply, match=problem):
        asyncio.run(anext(who.stream(known)))
    assert not server.asked


@pytest.mark.parametrize(("items", "is_whole"), [(8, True), (30, False)])
def test_room_grows_with_a_list_up_to_twice_the_budget(server: ModelServer, items: int, is_whole: bool) -> None:
    server.reset()
    server.responders = [says("Engine 1 [1].")]
    known = knowledge(*(Document(f"memory:{i}", "", f"Engine {i} has a red wheel. " * 3) for i in range(items)))
    listed = [replace(item, kind=ItemKind.FACT, section=RetrievalSection.WHOLE_LIST) for item in known.items]
    assert asyncio.run(answerer(model(server), context_tokens=150).answer(replace(known, items=tuple(listed)))).answered
    shown = server.asked[0].last_user_text
    assert (shown.count("has a red wheel") == 3 * items) == is_whole == ("every item of that kind" in shown)
    assert ("may be incomplete" in shown) != is_whole
    assert sum(count_tokens([shown.partition("\nQuestion:")[0]])) <= 320


@pytest.mark.parametrize(("held", "longest"), [(8192, 8000), (8192, 100_000), (4096, 8000), (1500, 200)])
def test_reserved_reply_tokens_do_not_reduce_knowledge(server: ModelServer, held: int, longest: int) -> None:
    server.reset()
    server.responders = [says("Ada [1].")]
    known = knowledge(ADA, *(Document(f"memory:{i}", "", f"Engine {i} has a wheel. " * 15) for i in range(200)))
    asked = model(server, context_tokens=held, output_tokens=longest)
    assert asyncio.run(answerer(asked, context_tokens=100_000).answer(known)).answered
    kept = min(longest, 1000, held // 4)
    assert 0.6 * held < 1.1 * server.calls[0].prompt_tokens <= held - kept


@pytest.mark.slow
def test_parsing_long_replies_takes_linear_time(server: ModelServer) -> None:
    read: list[str] = []

    class Counting(LLMAnswerer):
        def _parse(self, reply: str, context: PromptContext, whole: bool) -> CitedText:
            read.append(reply)
            return super()._parse(reply, context, whole)

    class Pieces(EndpointModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
            for _ in range(5_000):
                yield "Ada [1]. "
            yield ModelReply("Ada [1]. " * 5_000, True, Usage(1), 0.1)

    async def streamed() -> list[str | Citation | Answer]:
        asked = Pieces(ModelSettings(name="recorded", base_url=server.url, key_variable=""))
        who = Counting(asked, PromptLibrary(), AnswerSettings(), HashingEmbedder(), 4000)
        return [piece async for piece in who.stream(KNOWN)]

    *texts, last = asyncio.run(streamed())
    assert "".join(map(str, texts)) == str(last)
    assert len(texts) > 50
    assert len(read) < 1000


def test_model_answers_without_retrieval(server: ModelServer) -> None:
    server.reset()
    given = answer(server, "Ada, I think.", knowledge(retrieves=False))
    assert given.answered and given.citations == ()
    assert given.note == "answered by recorded; from what the model knows, not from the documents"
    assert "Knowledge" not in server.asked[0].text


def test_style_and_format_reach_the_model(server: ModelServer) -> None:
    server.reset()
    given = answer(server, "<think>Hm [1].</think><answer>Ada [1].</answer>", KNOWN, "think", "three $1 bullets")
    assert (given.text, given.reasoning) == ("Ada [1].", "Hm [1].")
    assert "What is wanted: three $1 bullets." in server.asked[0].messages[0].text
    assert "<answer>" in server.asked[0].messages[0].text
    answer(server, "Ada.")
    assert "<answer>" not in server.asked[-1].text


def test_truncated_reply_is_reported(server: ModelServer) -> None:
    server.misbehave(CutText(), times=2)
    assert answer(server, "Ada wrote it [1]. And more.").note.endswith("; cut off at output_tokens")


@pytest.mark.parametrize(
    ("kind", "error", "problem"),
    [
        (EmptyText(), NoReply, "empty reply"),
        (NullContent(), NoReply, "empty reply"),
        (Refusal(), NoReply, "refuses"),
        (Status(401), ModelUnavailable, "refuses a call without a key"),
        (Status(404, "model_not_found"), ModelUnavailable, "has no model recorded"),
        (Status(400, "context_length_exceeded"), NoReply, "longer than recorded can hold"),
    ],
)
def test_model_failures_raise_errors(
    server: ModelServer, kind: EmptyText, error: type[Exception], problem: str
) -> None:
    server.behave()
    server.misbehave(kind, times=None)
    with pytest.raises(error, match=problem):
        answer(server, "Ada [1].")
    with pytest.raises(error, match=problem):
        asyncio.run(drained(server))
    server.behave()


async def drained(server: ModelServer) -> Sequence[object]:
    return [piece async for piece in answerer(model(server)).stream(KNOWN)]


def test_prompt_fits_the_context_window(server: ModelServer) -> None:
    server.reset()
    server.responders = [says("Ada [1].")]
    long = [Document(f"memory:{i}", "", f"Engine {i} {'has a wheel and a card ' * 20}.") for i in range(40)]
    known = knowledge(*long)
    small = model(server, context_tokens=2000, output_tokens=500)
    asyncio.run(answerer(small, context_tokens=100_000).answer(known))
    assert 1000 < server.calls[0].prompt_tokens <= 1500
    asyncio.run(answerer(model(server), context_tokens=300).answer(known))
    shown = server.asked[1].last_user_text.partition("Knowledge\n\n")[2].partition("\n\nQuestion:")[0]
    assert 200 < count_tokens([shown])[0] <= 300


def test_answer_is_streamed(server: ModelServer) -> None:
    server.responders = [says("Ada wrote the first program [1]. " * 5)]
    texts = asyncio.run(both(server, KNOWN, "plain", ""))[1]
    assert len(texts) > 10


PARTS = ["Ada ", "[1]", "[2, 1]", "[9]", "[none]", "<think>Hm.</think>", "</answer>", "\n", "[", "<"]


@given(st.lists(st.sampled_from(PARTS), max_size=12), st.sampled_from(["plain", "think"]))
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_streamed_and_whole_replies_give_the_same_answer(
    server: ModelServer, parts: list[str], form: Literal["plain", "think"]
) -> None:
    assert answer(server, f"{''.join(parts)} Ada.", form=form).text
