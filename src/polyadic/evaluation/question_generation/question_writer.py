"""Having a language model write questions, and reading what it wrote; nothing that is doubtful is taken."""

from collections.abc import Mapping
from dataclasses import dataclass

from polyadic.evaluation.dataset_files import text_of, texts_of
from polyadic.evaluation.question_generation.sampling import FactSample
from polyadic.generation.citation_parser import unthought
from polyadic.llm.language_model import ModelRequest, ReplySchema
from polyadic.llm.prompts.library import Prompt
from polyadic.llm.replies.json_repair import values
from polyadic.llm.replies.model import Problems
from polyadic.model.identity import loose_name
from polyadic.text.cjk import has_ideographs

PURPOSE = "make-questions"
"""What these requests are for, as ledgers and batch files say it."""
PROMPT = "make_question"

_SCHEMA = ReplySchema(
    "question",
    {
        "type": "object",
        "properties": {
            "question": {"type": "string"},
            "answers": {"type": "array", "items": {"type": "string"}},
            "facts": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["question", "answers", "facts"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class DraftQuestion:
    """A question as a model wrote it: its answers, and the numbers (from 1) of the facts that it needs."""

    question: str
    answers: tuple[str, ...]
    facts: tuple[int, ...]


def request(sample: FactSample, prompt: Prompt) -> ModelRequest:
    """What is asked of a model; the facts are indented, so that no line of them stands where ours stand."""
    shown = (
        f"[{number}] {_line(fact.text)}\n    connects: {'; '.join(_line(name) for name in fact.entities)}"
        for number, fact in enumerate(sample.facts, 1)
    )
    return ModelRequest(PURPOSE, prompt.messages(facts="\n".join(shown)), _SCHEMA)


def is_readable(reply: str) -> bool:
    """Whether a reply holds a question with an answer, and is worth remembering."""
    return read(reply) is not None


def read(reply: str) -> DraftQuestion | None:
    """The question in a reply, whatever stands around it; None where there is none, or where it has no answer.

    >>> read('Sure: {"Question": "Who met Ada?", "answer": "Charles", "facts": ["1"]}')
    DraftQuestion(question='Who met Ada?', answers=('Charles',), facts=(1,))
    >>> read("I cannot do that.") is None
    True
    """
    # The last one counts: what comes before it may be a draft.
    for value in reversed(values(unthought(reply), Problems())):
        one = value[-1] if isinstance(value, list) and value else value
        if isinstance(one, Mapping):
            said = {str(key).strip().lower(): entry for key, entry in one.items()}
            question, answers = text_of(said, "question"), texts_of(said, "answers", "golden_answers", "answer")
            if question and answers:
                return DraftQuestion(_line(question), tuple(map(_line, answers)), _numbers(said.get("facts")))
    return None


def found_answers(draft: DraftQuestion, sample: FactSample) -> tuple[str, ...]:
    """The answers that stand in the facts."""
    facts = "\n".join(fact.text for fact in sample.facts)
    return tuple(answer for answer in draft.answers if says(facts, answer))


def says(text: str, words: str) -> bool:
    """Whether words stand in a text, as whole words, without regard to case, accents and punctuation.

    >>> says("Ada met Charles Babbage.", "charles  babbage"), says("Ada met Charles.", "Char")
    (True, False)
    >>> says("巴贝奇设计机器。", "机器")
    True
    """
    wanted, held = loose_name(words), loose_name(text)
    # Chinese and Japanese set no spaces between words.
    return wanted in held if has_ideographs(wanted) else f" {wanted} " in f" {held} "


def _numbers(given: object) -> tuple[int, ...]:
    listed = given if isinstance(given, list) else [given]
    return tuple(dict.fromkeys(int(text) for one in listed if (text := text_of({"": one}, "")).isdecimal()))


def _line(text: str) -> str:
    return " ".join(text.split())
