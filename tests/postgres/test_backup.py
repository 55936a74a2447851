"""The commands of docs/postgres.md: set up a database, back it up, and restore it on another server."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.errors import StoreError
from polyadic.model.types import Document
from polyadic.server.tenants.postgres import PostgresTenants
from polyadic.workspace import Workspace
from tests.support.own_server import OwnServer, own_folder, own_server
from tests.support.psql import address_of, as_superuser, blocks, ran

pytestmark = pytest.mark.slow

ROLES = Path(__file__).parents[2] / "deploy" / "postgres" / "roles.sql"
SETTINGS = Settings(embedding=EmbeddingSettings(model="hashing"))
WORKSPACES = {"letters": "Jonas Orth wrote to Mira Falk in Turin.", "notes": "Clara Novak wrote to Mira Falk in Ulm."}
RIGHTS = (
    "SELECT relname, privilege_type FROM pg_class, aclexplode(relacl) WHERE relnamespace = 'polyadic'::regnamespace"
    " AND grantee = 'polyadic_workspaces'::regrole"
)


[SET_UP] = blocks("postgres.md", "Set up a database")
BACKUP_ROLE, DUMP, RESTORE = blocks("postgres.md", "Back up and restore")


def place(server: OwnServer, user: str = "ada") -> str:
    return address_of(server, user, "kb")


def answers(address: str) -> list[str]:
    texts = []
    for name in WORKSPACES:
        with Workspace(f"{address}#{name}", SETTINGS) as kb:
            assert kb.store().problems() == []
            texts.append(kb.query("Who wrote to Mira Falk?").text)
    return texts


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnServer]:
    """A database as the page sets it up, with two workspaces and the tables of a server."""
    folder = tmp_path_factory.mktemp("settings")
    with own_folder() as data, own_server(data) as running:
        as_superuser(running, SET_UP, folder)
        for name, text in WORKSPACES.items():
            with Workspace(f"{place(running)}#{name}", SETTINGS) as kb:
                kb.add([Document(f"memory:{name}", name, text)])
        PostgresTenants(place(running), folder).close()
        yield running


@pytest.fixture(scope="module")
def dump(server: OwnServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a dump, made as the page says."""
    folder = tmp_path_factory.mktemp("dump")
    as_superuser(server, BACKUP_ROLE, folder)
    ran(server, DUMP, folder)
    return folder


def test_a_dump_is_restored_by_the_owner_on_a_new_server(server: OwnServer, dump: Path) -> None:
    expected = answers(place(server))
    with own_folder() as data, own_server(data) as other:
        as_superuser(other, SET_UP, dump)
        ran(other, RESTORE, dump)
        assert answers(place(other)) == expected and "Jonas Orth" in expected[0] and "Clara Novak" in expected[1]
        assert rights(other) == rights(server)
        PostgresTenants(place(other), dump).close()


def test_where_the_role_was_not_restored_it_is_named_with_what_restores_it(server: OwnServer, dump: Path) -> None:
    with own_folder() as data, own_server(data) as other:
        as_superuser(other, "CREATE DATABASE kb", dump)
        ran(other, "pg_restore -d kb --no-owner kb.dump || true", dump, "postgres")
        with pytest.raises(StoreError, match=r"CREATE ROLE polyadic_workspaces NOLOGIN.*roles\.sql"):
            answers(place(other, "postgres"))
        as_superuser(other, "CREATE ROLE polyadic_workspaces NOLOGIN", dump)
        with pytest.raises(StoreError, match=r"deploy/postgres/roles\.sql"):
            answers(place(other, "postgres"))
        for _ in range(2):
            ran(other, f"psql -v ON_ERROR_STOP=1 -d kb -f {ROLES}", dump, "postgres")
            assert answers(place(other, "postgres")) == answers(place(server))
            assert rights(other) == rights(server)


def rights(server: OwnServer) -> set[tuple[str, str]]:
    with psycopg.connect(place(server, "postgres")) as raw:
        return set(raw.execute(RIGHTS).fetchall())
