"""V_q, the entities of a question (HyperGraphRAG): as the store knows them, or as a language model names them."""

import re
from dataclasses import dataclass
from typing import Protocol

from polyadic.errors import NoReply
from polyadic.llm.language_model import LanguageModel, ModelRequest, ReplySchema
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Usage
from polyadic.retrieval.query_analysis import analyze_question
from polyadic.storage.protocol import Reader
from polyadic.text.named_entities import Vocabulary, names

_MOST = 20
# A name is short; what is longer is a sentence about the question.
_LONGEST = 100
_THOUGHTS = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)

_SCHEMA = ReplySchema(
    "entities",
    {
        "type": "object",
        "properties": {"entities": {"type": "array", "items": {"type": "string"}}},
        "required": ["entities"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class LinkedNames:
    """The names, how they were found, and what that cost."""

    names: tuple[str, ...]
    how: str
    usage: Usage

    @property
    def told(self) -> str:
        """What a trace says of them."""
        return f"{self.how} {', '.join(self.names)}" if self.names else "names nothing; it stands for itself"


class QueryEntityFinder(Protocol):
    """Finds the entities of a question."""

    async def named(self, question: str, reader: Reader) -> LinkedNames: ...


class StoreEntityFinder:
    """Implements QueryEntityFinder without a model: the names that the store knows, and what else looks like one."""

    async def named(self, question: str, reader: Reader) -> LinkedNames:
        known = analyze_question(question, reader)
        further = (name.text for name in names(known.remainder, Vocabulary("en")))
        return LinkedNames((*known.mentions, *further), "names", Usage())


class LLMEntityFinder:
    """Implements QueryEntityFinder with a language model; where its reply cannot be read, without one."""

    def __init__(self, model: LanguageModel, prompts: PromptLibrary) -> None:
        self._model = model
        self._prompt = prompts.get("question_entities")

    async def named(self, question: str, reader: Reader) -> LinkedNames:
        """Raises ModelUnavailable as LanguageModel.ask does."""
        usage = Usage()
        found = None
        try:
            reply = await self._model.ask(
                ModelRequest("question-entities", self._prompt.messages(question=question), _SCHEMA)
            )
            usage = reply.usage
            found = _names(reply.text)
        except NoReply:
            pass
        if found is None:
            known = await StoreEntityFinder().named(question, reader)
            return LinkedNames(known.names, f"{self._model.name} gave no names that can be read; names", usage)
        return LinkedNames(found, f"{self._model.name} names", usage)


def _names(reply: str) -> tuple[str, ...] | None:
    """The names in a reply, also where it is a mere list, or its entities are objects; None where it has no such form.

    >>> _names('<think>{}</think> {"entities": ["Ada", "Ada", ""]}'), _names('["Ada", {"name": "Byron"}]')
    (('Ada',), ('Ada', 'Byron'))
    >>> _names("The question is about Ada.") is None
    True
    """
    # Imported late: only replies of models need mending.
    from json_repair import repair_json

    read = repair_json(_THOUGHTS.sub("", reply), return_objects=True)
    listed = read.get("entities") if isinstance(read, dict) else read
    if not isinstance(listed, list):
        return None
    named = (entry.get("name") if isinstance(entry, dict) else entry for entry in listed)
    names = dict.fromkeys(" ".join(name.split()) for name in named if isinstance(name, str))
    return tuple(name for name in names if 0 < len(name) <= _LONGEST)[:_MOST]
