"""Members and facts as the tests of writers tell them, and a model that writes about them over HTTP."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from polyadic.hierarchy.by_model import ModelWriting
from polyadic.hierarchy.telling import ToldFact, ToldMember
from polyadic.hierarchy.writing import Summaries
from polyadic.models.budget import Budget
from polyadic.models.endpoint_model import EndpointModel
from polyadic.models.remembering import Paid, Remembering
from polyadic.prompts.library import Prompts
from polyadic.settings import ThemesSettings
from tests.models.endpoint_help import model_settings
from tests.server import ModelServer, Replaced

T = TypeVar("T")


def fact(identifier: str, text: str, *participants: str, tokens: int = 10) -> ToldFact:
    return ToldFact(identifier, text, tokens, participants)


MET = fact("f1", "Ada Lovelace met Charles Babbage in London.", "ada", "babbage", "london")
DESIGNED = fact("f2", "Charles Babbage designed the Analytical Engine.", "babbage", "engine")
WROTE = fact("f3", "Ada Lovelace wrote notes on the Analytical Engine in 1843.", "ada", "engine", "1843")
TAUGHT = fact("f4", "Mary Somerville taught Ada Lovelace.", "somerville", "ada")
FACTS = (MET, DESIGNED, WROTE, TAUGHT)
ADA = ToldMember("ada", "Ada Lovelace", "person", "mathematician who wrote the first program", (MET, WROTE, TAUGHT))
BABBAGE = ToldMember("babbage", "Charles Babbage", "person", "inventor", (MET, DESIGNED))
ENGINE = ToldMember("engine", "Analytical Engine", "machine", "", (DESIGNED, WROTE))
SOMERVILLE = ToldMember("somerville", "Mary Somerville", "person", "", (TAUGHT,))
LONDON = ToldMember("london", "London", "place", "", (MET,))
YEAR = ToldMember("1843", "1843", "date", "", (WROTE,))
MEMBERS = (ADA, BABBAGE, ENGINE, SOMERVILLE, LONDON, YEAR)


@dataclass
class Kept:
    """A memory in a dictionary."""

    replies: dict[str, tuple[str, bool]] = field(default_factory=dict)

    def recall(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
        return {key: self.replies[key] for key in keys if key in self.replies}

    def note(self, paid: Sequence[Paid]) -> None:
        self.replies |= {
            one.request.key(one.model): (one.reply.text, one.reply.complete) for one in paid if one.remember
        }


def written(
    server: ModelServer,
    act: Callable[[ModelWriting], Awaitable[T]],
    *,
    memory: Kept | None = None,
    budget: Budget | None = None,
    prompts: Prompts | None = None,
    themes: ThemesSettings | None = None,
    **model: Any,
) -> T:
    """What a writer with the server's model makes of something."""

    async def run() -> T:
        asked = EndpointModel(model_settings(server, **{"key_variable": ""} | model))
        try:
            remembering = Remembering(asked, memory or Kept(), budget)
            return await act(ModelWriting(remembering, prompts or Prompts(), themes or ThemesSettings()))
        finally:
            await asked.close()

    return asyncio.run(run())


def summaries(server: ModelServer, members: Sequence[ToldMember] = MEMBERS, layer: int = 1, **how: Any) -> Summaries:
    """What it makes of a cluster."""
    return written(server, lambda writing: writing.summarise(layer, members), **how)


def saying(server: ModelServer, *records: object, members: Sequence[ToldMember] = MEMBERS, **how: Any) -> Summaries:
    """What is made of a reply with these summaries."""
    server.misbehave(Replaced(json.dumps({"summaries": records})))
    return summaries(server, members, **how)


def record(name: str = "Engines", members: object = (1, 2, 3), **fields: object) -> dict[str, object]:
    """One summary as a model says it."""
    return {"name": name, "type": "technology", "description": f"{name} it is.", "members": members} | fields
