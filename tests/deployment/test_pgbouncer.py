"""PgBouncer with the file of deploy/: by session all works, by transaction Polyadic stops with a message."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.errors import StoreError
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.deployment.dockerfile import ROOT
from tests.server.running_server import wait_until
from tests.support import postgres
from tests.support.own_server import own_folder

pytestmark = pytest.mark.slow

FILE = (ROOT / "deploy" / "pgbouncer" / "pgbouncer.ini").read_text()
SETTINGS = Settings(embedding=EmbeddingSettings(model="hashing"))
QUESTION = "Who wrote to Mira Falk?"


def program() -> str:
    """Where PgBouncer is; the test is passed over where it is not, but never under CI."""
    found = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None and not os.environ.get("CI"):
        pytest.skip("pgbouncer is not installed")
    assert found is not None
    return found


@contextmanager
def pooled(folder: Path, mode: str) -> Iterator[str]:
    """The address of a database behind PgBouncer, whose file has the operator's own put in."""
    server, name = postgres.server(), f"pooled_{mode}"
    with psycopg.connect(server, autocommit=True) as raw:
        raw.execute(f"CREATE DATABASE {name}".encode())
    sockets = server.rpartition("host=")[2]
    text = FILE
    for pattern, replacement in (
        (r"^kb = .*$", f"kb = host={sockets} port=5432 dbname={name} user=postgres"),
        (r"^listen_addr = .*$", f"listen_addr =\nunix_socket_dir = {folder}"),
        (r"^auth_type = .*$", "auth_type = any"),
        (r"^auth_file = .*\n", ""),
        (r"^pool_mode = session$", f"pool_mode = {mode}"),
    ):
        text, found = re.subn(pattern, replacement, text, flags=re.MULTILINE)
        assert found == 1, pattern
    (folder / "pgbouncer.ini").write_text(text)
    folder.chmod(0o777)
    # It refuses to run as root, and only the user of the server may reach its socket.
    user = ("-u", Path(sockets).owner()) if os.geteuid() == 0 else ()
    log = (folder / "log").open("wb")
    process = subprocess.Popen([program(), *user, str(folder / "pgbouncer.ini")], stdout=log, stderr=log)
    try:
        wait_until(lambda: (folder / ".s.PGSQL.6432").exists() or process.poll() is not None)
        assert process.poll() is None, (folder / "log").read_text()
        yield f"postgresql://postgres@/kb?host={folder}&port=6432#letters"
    finally:
        process.terminate()
        process.wait(10)
        log.close()


def test_by_session_it_can_be_written_and_asked_at_once() -> None:
    with own_folder() as folder, pooled(folder, "session") as address, Workspace(address, SETTINGS) as kb:
        kb.add([Document("memory:0", "Letters", "Jonas Orth wrote to Mira Falk in Turin.")])
        with ThreadPoolExecutor(4) as threads:
            answers = [threads.submit(lambda: kb.query(QUESTION).text) for _ in range(40)]
            kb.add([Document(f"memory:{n}", "Notes", f"Clara Novak saw letter {n} in Ulm.") for n in range(1, 20)])
        assert all("Jonas Orth" in answer.result() for answer in answers)
        assert kb.status().counts.documents == 20 and kb.store().problems() == []


def test_by_transaction_it_is_refused_in_one_line() -> None:
    with own_folder() as folder, pooled(folder, "transaction") as address, Workspace(address, SETTINGS) as kb:
        with pytest.raises(StoreError, match="pools by transaction: let it pool by session") as raised:
            kb.add([Document("memory:0", "Letters", "Jonas Orth wrote to Mira Falk in Turin.")])
        assert "\n" not in str(raised.value)
