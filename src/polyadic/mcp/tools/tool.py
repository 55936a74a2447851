"""Definition of a tool: its arguments, its result and the function it runs; and arguments that tools share."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

import mcp_types as types
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from polyadic.mcp.document_references import documents_named
from polyadic.mcp.errors import bad_arguments
from polyadic.mcp.limits import NAME, NAMES, PAIRS, VALUE
from polyadic.mcp.request_context import WorkspaceAccess, read
from polyadic.mcp.results import ToolResult
from polyadic.model.types import Filter


class ToolArguments(BaseModel):
    """Base class of tool arguments; unknown arguments are rejected rather than ignored."""

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

    ``writes`` marks a tool that changes the workspace and so needs write access; ``of_jobs`` one that is offered only
    by servers with jobs.
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
        """Return whether clients with this access see the tool."""
        return (access.may_write or not self.writes) and (access.jobs is not None or not self.of_jobs)

    def only_hands_over(self, access: WorkspaceAccess) -> bool:
        """Return whether the tool leaves the work to a job and only waits for it."""
        return access.jobs is not None and (self.writes or self.of_jobs)

    async def call(self, access: WorkspaceAccess, arguments: dict[str, Any]) -> ToolResult:
        """Run the tool with the arguments that a client sent.

        Raises
        ------
        BadArguments
            The arguments do not match the schema of the tool.
        PolyadicError
            The tool failed.
        """
        try:
            validated = self.takes.model_validate(arguments)
        except ValidationError as error:
            raise bad_arguments(self.name, error) from None
        return await self.run(access, validated)

    def described(self) -> types.Tool:
        """Return the tool as clients list it."""
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


class DocumentFilterArguments(ToolArguments):
    """The documents to search; all by default."""

    documents: Annotated[list[Name], Field(max_length=NAMES)] = Field(default_factory=list)
    """Search only these documents: each by id, uri, source or title, or a folder of documents."""
    where: Pairs = Field(default_factory=dict)
    """Search only documents that have all of this metadata; keys that end with >= or <= compare, such as date>=."""

    async def only(self, access: WorkspaceAccess) -> Filter | None:
        """Build the filter; None if all documents are searched.

        Raises
        ------
        NotFound
            A name matches no document.
        """
        if not (self.documents or self.where):
            return None
        chosen = await read(
            access.workspace,
            lambda reader: [documents_named(reader, access.names(reader), name) for name in self.documents],
        )
        return Filter(where=self.where, documents=tuple(sorted(frozenset().union(*chosen))))
