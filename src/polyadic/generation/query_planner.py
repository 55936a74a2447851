"""Find with a language model what is still missing to answer a question: notes on what was found, and further queries.

This is the step of iterative retrieval, as in IRCoT (arXiv 2212.10509) and Self-Ask (arXiv 2210.03350), with short
notes in place of a chain of thought, so that each step can spend all of its tokens on what was just found.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.errors import NoReply
from polyadic.generation.citation_parser import without_markers
from polyadic.generation.context import PromptContext, lay_out, prompt_room
from polyadic.llm.language_model import LanguageModel, ModelRequest, ReplySchema
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.replies.json_fields import list_of, numbers_in, record_of, reply_values, text_of
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.model.types import Item, Knowledge

MOST_QUERIES = 3
"""Maximum number of queries of a step."""
_MOST_NOTES = 10
_LONGEST_NOTE, _LONGEST_QUERY = 300, 300
_NOTHING = "(nothing yet)"

_SCHEMA = ReplySchema(
    "next_queries",
    {
        "type": "object",
        "properties": {
            "notes": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "note": {"type": "string"},
                        "numbers": {"type": "array", "items": {"type": "integer"}},
                    },
                    "required": ["note", "numbers"],
                    "additionalProperties": False,
                },
            },
            "queries": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["notes", "queries"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class Note:
    """What the model noted of retrieved items; its text is written by the model, and shown to no one else."""

    text: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class NextQueries:
    """The notes of a step, and what to search for next; without queries, enough was found."""

    notes: tuple[Note, ...]
    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A request for the next queries, and the context that its notes refer to."""

    request: ModelRequest
    context: PromptContext


class LLMQueryPlanner:
    """Finds the next queries with a language model.

    Parameters
    ----------
    model
        Writes notes and queries.
    prompts
        Provides ``next_queries``.
    context_tokens
        Token budget for the knowledge of a step; reduced if the model's context is too small.
    """

    def __init__(self, model: LanguageModel, prompts: PromptLibrary, context_tokens: int) -> None:
        self.model = model
        self._prompt = prompts.get("next_queries")
        self._context_tokens = context_tokens

    def planned(self, question: str, notes: Sequence[Note], searches: Sequence[str], found: Knowledge) -> PlannedStep:
        """Return the request for the next queries.

        Parameters
        ----------
        question
            The question to be answered in the end.
        notes
            The notes of earlier steps.
        searches
            All queries so far.
        found
            What the last of them found.
        """
        values = {
            "question": question,
            "notes": _listed([note.text for note in notes]),
            "searches": _listed(searches),
        }
        schema = _SCHEMA if self._prompt.asks_for_json else None
        bare = ModelRequest("next-queries", self._prompt.messages(knowledge=" ", **values), schema)
        context = lay_out(found, prompt_room(bare, self.model, self._context_tokens))
        messages = self._prompt.messages(knowledge=context.text or _NOTHING, **values)
        return PlannedStep(ModelRequest("next-queries", messages, schema), context)

    async def next(self, step: PlannedStep) -> NextQueries:
        """Ask the model.

        Raises
        ------
        ModelUnavailable, NoReply
            As LanguageModel.complete; NoReply also if the reply cannot be read.
        """
        reply = await self.model.complete(step.request)
        planned = read_next_queries(reply.text, step.context)
        if planned is None:
            raise NoReply(f"the reply of {self.model.name} cannot be read")
        return planned


def read_next_queries(reply: str, context: PromptContext) -> NextQueries | None:
    """Read a reply; None if it is no record with notes or queries.

    >>> empty = PromptContext((), "", 0)
    >>> read_next_queries('{"notes": [{"note": "Ada wrote [1].", "numbers": [9]}], "queries": ["Who?", ""]}', empty)
    NextQueries(notes=(Note(text='Ada wrote (1).', items=()),), queries=('Who?',))
    >>> read_next_queries("I need to know more.", empty) is None
    True
    """
    records = [record for value in reply_values(reply, Problems()) if (record := record_of(value))]
    records = [record for record in records if "notes" in record or "queries" in record]
    if not records:
        return None
    noted = (_note(record_of(value), context) for value in list_of(records[-1], "notes")[:_MOST_NOTES])
    listed = [value for value in list_of(records[-1], "queries") if isinstance(value, str)]
    queries = dict.fromkeys(text_of({"query": value}, "query", longest=_LONGEST_QUERY) for value in listed)
    return NextQueries(tuple(note for note in noted if note), tuple(filter(None, queries))[:MOST_QUERIES])


def _note(record: dict[str, object], context: PromptContext) -> Note | None:
    text = without_markers(text_of(record, "note", "text", longest=_LONGEST_NOTE))
    numbers = numbers_in(list_of(record, "numbers", "number", "sources"), {}, Problems())
    items = dict.fromkeys(context.pieces[number - 1].item for number in numbers if 1 <= number <= len(context.pieces))
    return Note(text, tuple(items)) if text else None


def _listed(texts: Sequence[str]) -> str:
    return "\n".join(f"- {text}" for text in texts) or _NOTHING
