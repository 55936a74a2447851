"""An item that is cited as a whole is named without a quotation, wherever citations are listed."""

from polyadic.batch.question_files import BatchAnswer, BatchQuestion
from polyadic.mcp import results
from polyadic.model.types import Answer, Citation, Claim, Knowledge, SourceSpan, Span, Usage
from polyadic.server.chat_messages import sources

PLACE = SourceSpan("d", "/ada.md", "Ada", "c", Span(0, 36), "Ada Lovelace wrote the first program")
PART = PLACE.part(Span(0, 12))
ANSWER = Answer(
    "What did Ada do?",
    "Ada sailed [1]. Ada Lovelace wrote [1].",
    True,
    (Citation(1, PLACE, 0.1, Span(11, 14), whole_item=True), Citation(1, PART, 0.9, Span(35, 38))),
    Knowledge("What did Ada do?", "walk", (), 0, 0, ()),
    Usage(),
    "",
    (),
    claims=(Claim(Span(0, 10), False, (0,)), Claim(Span(16, 34), True, (1,))),
)


def test_chat_clients_see_its_title() -> None:
    lines = sources(ANSWER).strip().splitlines()
    assert lines[-3:] == ["[1] Ada", "[1] Ada: “Ada Lovelace”", "Not supported by these sources: “Ada sailed”"]


def test_agents_see_its_characters() -> None:
    whole, part = results.citations(ANSWER)
    assert (whole.quote, whole.start, whole.end, whole.supported) == ("", 0, 36, False)
    assert (part.quote, part.supported) == ("Ada Lovelace", True)


def test_batch_answers_have_its_characters() -> None:
    answer = BatchAnswer.of(BatchQuestion("", ANSWER.question, 1), ANSWER)
    assert [(one.quote, one.start, one.end) for one in answer.citations] == [("", 0, 36), ("Ada Lovelace", 0, 12)]
