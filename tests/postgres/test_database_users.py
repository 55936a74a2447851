"""Database users as docs/postgres.md describes them: row-level security does not separate them, databases do."""

from collections.abc import Iterator

import psycopg
import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.errors import StoreError
from polyadic.model.types import Document
from polyadic.storage.postgres import migrations
from polyadic.storage.postgres.schema import VERSION
from polyadic.workspace import Workspace
from tests.support.own_server import OwnServer, own_folder, own_server
from tests.support.psql import address_of, as_superuser, blocks

pytestmark = pytest.mark.slow

SETTINGS = Settings(embedding=EmbeddingSettings(model="hashing"))
[OWN_DATABASE] = blocks("postgres.md", "Separate users")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnServer]:
    """Two users with a database each."""
    folder = tmp_path_factory.mktemp("commands")
    with own_folder() as data, own_server(data) as running:
        as_superuser(running, blocks("postgres.md", "Set up a database")[0], folder)
        for user in ("acme", "umbrella"):
            as_superuser(running, OWN_DATABASE.replace("acme", user), folder)
            with Workspace(f"{address_of(running, user, user)}#letters", SETTINGS) as kb:
                kb.add([Document("memory:1", "Letters", f"Jonas Orth of {user} wrote to Mira Falk in Turin.")])
        yield running


def test_each_user_has_a_database_that_the_other_cannot_open(server: OwnServer) -> None:
    for user, other in (("acme", "umbrella"), ("umbrella", "acme")):
        with Workspace(f"{address_of(server, user, user)}#letters", SETTINGS) as kb:
            assert user in kb.query("Who wrote to Mira Falk?").text
        closed = Workspace(f"{address_of(server, user, other)}#letters", SETTINGS)
        with closed, pytest.raises(StoreError, match=f'permission denied for database "{other}"'):
            closed.query("Who wrote to Mira Falk?")


def test_whoever_has_the_rights_of_the_tables_can_set_any_workspace(server: OwnServer) -> None:
    address = address_of(server, "acme", "acme")
    with Workspace(f"{address}#letters", SETTINGS) as kb:
        number = kb.store().number  # type: ignore[attr-defined]
    with psycopg.connect(address) as raw:
        raw.execute("SELECT set_config('polyadic.workspace', %s, false)", (str(number),))
        assert raw.execute("SELECT count(*) FROM polyadic.document").fetchone() == (1,)


def test_migration_by_the_owner_reaches_the_rows_of_all_workspaces(
    server: OwnServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The last test of this module: the database has a later version afterwards.
    address = address_of(server, "acme", "acme")
    with Workspace(f"{address}#notes", SETTINGS) as kb:
        kb.add([Document("memory:2", "Notes", "Ilse Brandt wrote to Karl Wegener in Basel.")])
    fill = "ALTER TABLE fact ADD COLUMN length bigint NOT NULL DEFAULT 0; UPDATE fact SET length = length(text)"
    monkeypatch.setattr(migrations, "MIGRATIONS", (fill,))
    monkeypatch.setattr(migrations, "VERSION", VERSION + 1)
    for name in ("letters", "notes"):
        with Workspace(f"{address}#{name}", SETTINGS) as kb:
            number = kb.store().number  # type: ignore[attr-defined]
        with psycopg.connect(address) as raw:
            raw.execute("SELECT set_config('polyadic.workspace', %s, false)", (str(number),))
            rows = raw.execute("SELECT length = length(text), workspace FROM polyadic.fact").fetchall()
        assert rows and set(rows) == {(True, number)}
