"""What a tool is: what it takes, what it returns, and what it does with a workspace."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

import mcp_types as types
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from polyadic.mcp.errors import bad_arguments
from polyadic.mcp.limits import NAME, PAIRS, VALUE
from polyadic.mcp.request_context import WorkspaceAccess
from polyadic.mcp.results import ToolResult


class ToolArguments(BaseModel):
    """What a tool takes; whatever it does not know is refused, because a wish would be passed over."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


Name = Annotated[str, Field(min_length=1, max_length=NAME, pattern=r"\S")]
Pairs = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=NAME)], Annotated[str, Field(max_length=VALUE)]],
    Field(max_length=PAIRS),
]
Taken = TypeVar("Taken", bound=ToolArguments)


@dataclass(frozen=True, slots=True)
class Tool(Generic[Taken]):
    """One tool.

    ``writes`` says that it changes the workspace, so that not everyone may call it, ``of_jobs`` that it is there only
    where a server has jobs.
    """

    name: str
    title: str
    description: str
    takes: type[Taken]
    returns: type[ToolResult]
    run: Callable[[WorkspaceAccess, Taken], Awaitable[ToolResult]]
    writes: bool = False
    of_jobs: bool = False

    def is_offered(self, access: WorkspaceAccess) -> bool:
        """Whether clients with this access are told of it."""
        return (access.may_write or not self.writes) and (access.jobs is not None or not self.of_jobs)

    def only_hands_over(self, access: WorkspaceAccess) -> bool:
        """Whether it leaves the work to a job, and at most waits for it."""
        return access.jobs is not None and (self.writes or self.of_jobs)

    async def call(self, access: WorkspaceAccess, arguments: dict[str, Any]) -> ToolResult:
        """Run the tool with what a client sent.

        Raises
        ------
        BadArguments
            These are no arguments of this tool.
        PolyadicError
            What the tool ran into.
        """
        try:
            taken = self.takes.model_validate(arguments)
        except ValidationError as error:
            raise bad_arguments(self.name, error) from None
        return await self.run(access, taken)

    def described(self) -> types.Tool:
        """The tool as clients list it."""
        hints = types.ToolAnnotations(
            read_only_hint=not self.writes,
            destructive_hint=self.writes,
            idempotent_hint=True,
            open_world_hint=False,
        )
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.takes.model_json_schema(),
            output_schema=self.returns.model_json_schema(mode="serialization"),
            annotations=hints,
        )
