"""V_q, the entities of a question (HyperGraphRAG): found in the store, or by a language model; and their vectors."""

import re
from dataclasses import dataclass
from typing import Protocol

from polyadic.embeddings.embedder import Embedder
from polyadic.errors import NoReply
from polyadic.llm.language_model import LanguageModel, ModelRequest, ReplySchema
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Usage
from polyadic.retrieval.entity_linking import analyze_question
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader, Vectors
from polyadic.text.named_entities import names
from polyadic.text.vocabulary import Vocabulary

_MAX_NAMES = 20
# Longer strings are not names, but sentences about the question.
_MAX_NAME_LENGTH = 100
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
    """The names in a question, a phrase that says how they were found, and the cost."""

    names: tuple[str, ...]
    how: str
    usage: Usage

    @property
    def description(self) -> str:
        """Description for the trace."""
        return f"{self.how} {', '.join(self.names)}" if self.names else "names nothing; the whole question is used"


class QueryEntityFinder(Protocol):
    """Finds the entities of a question."""

    async def named(self, question: str, reader: Reader) -> LinkedNames: ...


class StoreEntityFinder:
    """QueryEntityFinder without a model: names known to the store, and other words that look like names."""

    async def named(self, question: str, reader: Reader) -> LinkedNames:
        known = analyze_question(question, reader)
        further = (name.text for name in names(known.remainder, Vocabulary("en")))
        return LinkedNames((*known.mentions, *further), "names", Usage())


class LLMEntityFinder:
    """QueryEntityFinder with a language model; falls back to the store if the reply is unreadable."""

    def __init__(self, model: LanguageModel, prompts: PromptLibrary) -> None:
        self._model = model
        self._prompt = prompts.get("question_entities")

    async def named(self, question: str, reader: Reader) -> LinkedNames:
        """Find names with the model; raises ModelUnavailable as LanguageModel.complete."""
        usage = Usage()
        named = None
        try:
            reply = await self._model.complete(
                ModelRequest(
                    "question-entities",
                    self._prompt.messages(question=question),
                    _SCHEMA if self._prompt.asks_for_json else None,
                )
            )
            usage = reply.usage
            named = _names(reply.text)
        except NoReply:
            pass
        if named is None:
            known = await StoreEntityFinder().named(question, reader)
            return LinkedNames(known.names, f"{self._model.name} gave no readable names; names", usage)
        return LinkedNames(named, f"{self._model.name} names", usage)


def _names(reply: str) -> tuple[str, ...] | None:
    """Parse the names in a reply: an object, a plain list, or a list of objects; None if it has none of these forms.

    >>> _names('<think>{}</think> {"entities": ["Ada", "Ada", ""]}'), _names('["Ada", {"name": "Byron"}]')
    (('Ada',), ('Ada', 'Byron'))
    >>> _names("The question is about Ada.") is None
    True
    """
    # Imported late: only replies of models need repair.
    from json_repair import repair_json

    parsed = repair_json(_THOUGHTS.sub("", reply), return_objects=True)
    listed = parsed.get("entities") if isinstance(parsed, dict) else parsed
    if not isinstance(listed, list):
        return None
    named = (entry.get("name") if isinstance(entry, dict) else entry for entry in listed)
    names = dict.fromkeys(" ".join(name.split()) for name in named if isinstance(name, str))
    return tuple(name for name in names if 0 < len(name) <= _MAX_NAME_LENGTH)[:_MAX_NAMES]


async def embed_question_and_names(
    question: str,
    finder: QueryEntityFinder,
    reader: Reader,
    embedder: Embedder,
    trace: Trace,
    joined: bool = False,
) -> tuple[LinkedNames, Vectors]:
    """Find the names in a question, then embed the question and its names together.

    Parameters
    ----------
    question, finder, reader, embedder
        The question, and what finds its names and embeds.
    trace
        Receives both steps.
    joined
        Embed the names as one text, joined by commas; without names, the question again. By default each name is
        embedded on its own.

    Returns
    -------
    tuple of LinkedNames and Vectors
        The names, and the vectors of the question (first) and of its names, shape (1 + n, d); (2, d) if joined.
    """
    named = await finder.named(question, reader)
    trace.done("read the question", named.description)
    names = (", ".join(named.names) or question,) if joined else named.names
    vectors = await embedder.embed([question, *names])
    trace.done("embed", "the question and its names")
    return named, vectors
