"""Members and facts as the tests of writers tell them, and a model that writes about them over HTTP."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from polyadic.config import HierarchyBuildSettings
from polyadic.hierarchy.llm_summarizer import LLMSummarizer
from polyadic.hierarchy.prompt_context import FactContext, MemberContext
from polyadic.hierarchy.summarizer import ClusterSummaries
from polyadic.llm.budget import SpendingBudget
from polyadic.llm.cached_model import CachedModel, PaidCall
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.prompts.library import PromptLibrary
from tests.llm.endpoint_help import model_settings
from tests.model_server import ModelServer, Replaced

T = TypeVar("T")


def fact(identifier: str, text: str, *participants: str, tokens: int = 10) -> FactContext:
    return FactContext(identifier, text, tokens, participants)


MET = fact("f1", "Ada Lovelace met Charles Babbage in London.", "ada", "babbage", "london")
DESIGNED = fact("f2", "Charles Babbage designed the Analytical Engine.", "babbage", "engine")
WROTE = fact("f3", "Ada Lovelace wrote notes on the Analytical Engine in 1843.", "ada", "engine", "1843")
TAUGHT = fact("f4", "Mary Somerville taught Ada Lovelace.", "somerville", "ada")
FACTS = (MET, DESIGNED, WROTE, TAUGHT)
ADA = MemberContext("ada", "Ada Lovelace", "person", "mathematician who wrote the first program", (MET, WROTE, TAUGHT))
BABBAGE = MemberContext("babbage", "Charles Babbage", "person", "inventor", (MET, DESIGNED))
ENGINE = MemberContext("engine", "Analytical Engine", "machine", "", (DESIGNED, WROTE))
SOMERVILLE = MemberContext("somerville", "Mary Somerville", "person", "", (TAUGHT,))
LONDON = MemberContext("london", "London", "place", "", (MET,))
YEAR = MemberContext("1843", "1843", "date", "", (WROTE,))
MEMBERS = (ADA, BABBAGE, ENGINE, SOMERVILLE, LONDON, YEAR)


@dataclass
class Kept:
    """A memory in a dictionary."""

    replies: dict[str, tuple[str, bool]] = field(default_factory=dict)

    def get(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
        return {key: self.replies[key] for key in keys if key in self.replies}

    def note(self, paid: Sequence[PaidCall]) -> None:
        self.replies |= {
            one.request.key(one.model): (one.reply.text, one.reply.complete) for one in paid if one.remember
        }


def written(
    server: ModelServer,
    act: Callable[[LLMSummarizer], Awaitable[T]],
    *,
    memory: Kept | None = None,
    budget: SpendingBudget | None = None,
    prompts: PromptLibrary | None = None,
    hierarchy_build: HierarchyBuildSettings | None = None,
    **model: Any,
) -> T:
    """What a writer with the server's model makes of something."""

    async def run() -> T:
        asked = EndpointModel(model_settings(server, **{"key_variable": ""} | model))
        try:
            remembering = CachedModel(asked, memory or Kept(), budget)
            return await act(
                LLMSummarizer(remembering, prompts or PromptLibrary(), hierarchy_build or HierarchyBuildSettings())
            )
        finally:
            await asked.close()

    return asyncio.run(run())


def summaries(
    server: ModelServer, members: Sequence[MemberContext] = MEMBERS, layer: int = 1, **how: Any
) -> ClusterSummaries:
    """What it makes of a cluster."""
    return written(server, lambda writing: writing.summarize(layer, members), **how)


def saying(
    server: ModelServer, *records: object, members: Sequence[MemberContext] = MEMBERS, **how: Any
) -> ClusterSummaries:
    """What is made of a reply with these summaries."""
    server.misbehave(Replaced(json.dumps({"summaries": records})))
    return summaries(server, members, **how)


def record(name: str = "Engines", members: object = (1, 2, 3), **fields: object) -> dict[str, object]:
    """One summary as a model says it."""
    return {"name": name, "type": "technology", "description": f"{name} it is.", "members": members} | fields
