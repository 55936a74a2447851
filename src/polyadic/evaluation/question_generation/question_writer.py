"""Request questions from a language model and parse its replies strictly."""

from collections.abc import Mapping
from dataclasses import dataclass

from polyadic.evaluation.json_files import text_of, texts_of
from polyadic.evaluation.question_generation.fact_sampling import FactSample
from polyadic.generation.citation_parser import unthought
from polyadic.llm.language_model import ModelRequest, ReplySchema
from polyadic.llm.prompts.library import Prompt
from polyadic.llm.replies.json_repair import values
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.model.identity import loose_name
from polyadic.text.cjk import has_ideographs

PURPOSE = "make-questions"
"""Purpose of these requests in the ledger and in batch files."""
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
    """A question written by a model, its answers, and the numbers (from 1) of the facts that it needs."""

    question: str
    answers: tuple[str, ...]
    facts: tuple[int, ...]


def request(sample: FactSample, prompt: Prompt) -> ModelRequest:
    """Build the request; facts are reduced to single lines, so that they cannot imitate lines of the prompt."""
    shown = (
        f"[{number}] {_line(fact.text)}\n    connects: {'; '.join(_line(name) for name in fact.entities)}"
        for number, fact in enumerate(sample.facts, 1)
    )
    return ModelRequest(PURPOSE, prompt.messages(facts="\n".join(shown)), _SCHEMA)


def is_readable(reply: str) -> bool:
    """Whether a reply holds a question with an answer and is worth caching."""
    return read(reply) is not None


def read(reply: str) -> DraftQuestion | None:
    """Parse the question in a reply, ignoring surrounding text; None if there is no question with an answer.

    >>> read('Sure: {"Question": "Who met Ada?", "answer": "Charles", "facts": ["1"]}')
    DraftQuestion(question='Who met Ada?', answers=('Charles',), facts=(1,))
    >>> read("I cannot do that.") is None
    True
    """
    # The last object counts: earlier ones may be drafts.
    for value in reversed(values(unthought(reply), Problems())):
        candidate = value[-1] if isinstance(value, list) and value else value
        if isinstance(candidate, Mapping):
            fields = {str(key).strip().lower(): entry for key, entry in candidate.items()}
            question, answers = text_of(fields, "question"), texts_of(fields, "answers", "golden_answers", "answer")
            if question and answers:
                return DraftQuestion(_line(question), tuple(map(_line, answers)), _numbers(fields.get("facts")))
    return None


def found_answers(draft: DraftQuestion, sample: FactSample) -> tuple[str, ...]:
    """Return the answers that occur in the facts."""
    facts = "\n".join(fact.text for fact in sample.facts)
    return tuple(answer for answer in draft.answers if says(facts, answer))


def says(text: str, words: str) -> bool:
    """Whether a text contains a phrase as whole words, ignoring case, accents and punctuation.

    >>> says("Ada met Charles Babbage.", "charles  babbage"), says("Ada met Charles.", "Char")
    (True, False)
    >>> says("巴贝奇设计机器。", "机器")
    True
    """
    phrase, normalized_text = loose_name(words), loose_name(text)
    # Chinese and Japanese do not separate words with spaces.
    return phrase in normalized_text if has_ideographs(phrase) else f" {phrase} " in f" {normalized_text} "


def _numbers(given: object) -> tuple[int, ...]:
    listed = given if isinstance(given, list) else [given]
    return tuple(dict.fromkeys(int(text) for one in listed if (text := text_of({"": one}, "")).isdecimal()))


def _line(text: str) -> str:
    return " ".join(text.split())
