"""Every operation of the API, out of its own description, and a request for each that is well-formed."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx2

from polyadic.server.app import create_app
from polyadic.server.server_state import ServerState
from polyadic.server.tenants.folders import FolderTenants

OPEN = {"/health", "/ready", "/auth-status", "/lightrag/{workspace}/auth-status"}
OF_NO_WORKSPACE = {"GET /v1/workspaces", "GET /v1/models", "GET /metrics"}
READING_POSTS = (
    "/query",
    "/query/stream",
    "/query/data",
    "/retrieve",
    "/chat/completions",
    "/embeddings",
    "/documents/paginated",
)
_IDENTIFIERS = {"track_id", "document", "job", "entity", "fact", "summary", "community", "decision"}

_VALUES = {"number": "1"}


_LIGHTRAG_BODIES: dict[str, dict[str, Any]] = {
    "/documents/texts": {"texts": ["A."]},
    "/documents/paginated": {},
    "/documents/delete_document": {"doc_ids": ["0" * 32]},
    "/graph/entities/merge": {"entities_to_change": ["a"], "entity_to_change_into": "b"},
    "/graph/entity/edit": {
        "entity_name": "a",
        "updated_data": {"entity_name": "b"},
        "allow_rename": True,
        "allow_merge": True,
    },
}


@dataclass(frozen=True)
class Operation:
    """One operation; ``parameters`` and ``body`` are as the description has them."""

    method: str
    path: str
    parameters: tuple[str, ...]
    query: tuple[str, ...]
    body: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def writes(self) -> bool:
        return self.method != "GET" and not self.path.endswith(READING_POSTS)

    def send(self, client: httpx2.Client, workspace: str, identifier: str = "0" * 32) -> httpx2.Response:
        """A request that names a workspace, and something in it; well-formed in all else."""
        path = self.path
        for name in self.parameters:
            value = identifier if name in _IDENTIFIERS else _VALUES.get(name, workspace)
            path = path.replace(f"{{{name}}}", value)
        given: dict[str, Any] = {
            "kind": "entity",
            "id": identifier,
            "start": 0,
            "end": 1,
            "from": identifier,
            "to": identifier,
            "q": "a",
            "label": "a",
            "name": "a",
        }
        more: dict[str, Any] = {"params": {name: given[name] for name in self.query}}
        if self.body == "multipart/form-data":
            more["files"] = {"file": ("a.txt", b"A."), "files": ("a.txt", b"A.")}
        elif self.body:
            more["json"] = self._json(workspace)
        if "{" not in self.path and str(self) not in OF_NO_WORKSPACE:
            more["headers"] = (
                {"LIGHTRAG-WORKSPACE": workspace} if workspace.isascii() and workspace.isprintable() else {}
            )
        return client.request(self.method, path, **more)

    def _json(self, workspace: str) -> dict[str, Any]:
        if self.path == "/v1/workspaces":
            return {"name": workspace}
        if self.path.endswith("/decisions"):
            return {"kind": "merge", "names": ["Ada", "Augusta"]}
        if self.path.endswith("/chat/completions"):
            return {"model": workspace, "messages": [{"role": "user", "content": "Who?"}]}
        for end, content in _LIGHTRAG_BODIES.items():
            if self.path.endswith(end) and "/v1/" not in self.path:
                return content
        if self.path.endswith("/embeddings"):
            return {"model": workspace, "input": "A."}
        if self.path.endswith("/texts"):
            return {"texts": [{"text": "A."}]}
        if self.path.startswith(("/query", "/lightrag")) and not self.path.endswith("/text"):
            return {"query": "Who?"}
        return {"question": "Who?"} if not self.writes else {"text": "A."}


@cache
def described() -> dict[str, Any]:
    """The API's own description, made once: several modules read it while they are imported."""
    with tempfile.TemporaryDirectory() as folder:
        service = ServerState(FolderTenants(Path(folder)), None)
        description: dict[str, Any] = create_app(service).openapi()
        service.tenants.close()
    return description


def operations() -> list[Operation]:
    """All of them."""
    return list(_operations(described()))


def _operations(description: dict[str, Any]) -> Iterator[Operation]:
    for path, methods in description["paths"].items():
        for method, described in methods.items():
            parameters = described.get("parameters", [])
            yield Operation(
                method.upper(),
                path,
                tuple(one["name"] for one in parameters if one["in"] == "path"),
                tuple(one["name"] for one in parameters if one["in"] == "query" and one["required"]),
                next(iter(described.get("requestBody", {}).get("content", {})), ""),
            )
