"""V_q, the entities of a question (HyperGraphRAG): as the store knows them, or as a language model names them."""

from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ValidationError

from polyadic.errors import NoReply
from polyadic.knowledge import Usage
from polyadic.models.language_model import LanguageModel, Request, Schema
from polyadic.prompts.library import Prompts
from polyadic.retrieval.question import read_question
from polyadic.store.protocol import Reader
from polyadic.text.names import Vocabulary, names

_MOST = 20


class _Named(BaseModel):
    entities: list[str]


_SCHEMA = Schema(
    "entities",
    {
        "type": "object",
        "properties": {"entities": {"type": "array", "items": {"type": "string"}}},
        "required": ["entities"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class Named:
    """The names, how they were found, and what that cost."""

    names: tuple[str, ...]
    how: str
    usage: Usage


class QuestionEntities(Protocol):
    """Finds the entities of a question."""

    async def named(self, question: str, reader: Reader) -> Named: ...


class KnownNames:
    """Implements QuestionEntities without a model: the names that the store knows, and what else looks like one."""

    async def named(self, question: str, reader: Reader) -> Named:
        known = read_question(question, reader)
        further = (name.text for name in names(known.remainder, Vocabulary("en")))
        return Named((*known.mentions, *further), "names", Usage())


class ModelNames:
    """Implements QuestionEntities with a language model; where its reply cannot be read, without one."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompt = prompts.get("question_entities")

    async def named(self, question: str, reader: Reader) -> Named:
        """Raises ModelUnavailable as LanguageModel.ask does."""
        usage = Usage()
        try:
            reply = await self._model.ask(
                Request("question-entities", self._prompt.messages(question=question), _SCHEMA)
            )
            usage = reply.usage
            found = _Named.model_validate(_json(reply.text)).entities
        except (NoReply, ValidationError):
            known = await KnownNames().named(question, reader)
            return Named(known.names, f"{self._model.name} gave no names that can be read; names", usage)
        return Named(tuple(name for name in found if name.strip())[:_MOST], f"{self._model.name} names", usage)


def _json(text: str) -> object:
    # Imported late: only replies of models need mending.
    from json_repair import repair_json

    return repair_json(text, return_objects=True)
