"""A server as a process of its own, which may be killed, and what can be seen of it from outside."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx2

from polyadic.server.server_limits import ServerLimits
from tests.server.running_server import wait_until

SERVE = (sys.executable, "-m", "polyadic", "serve")
_SECONDS_TO_END = 30
_COMMAND = "from polyadic.cli.main import run; run(['serve', sys.argv[1], '--port', '0'])"
_LIMITED = """
from pathlib import Path
from polyadic.server.server_limits import ServerLimits
from polyadic.server.server import PolyadicServer, service_for
service = service_for(Path(sys.argv[1]), "127.0.0.1", None, ServerLimits(**json.loads(sys.argv[2])))
announce = lambda port: print(f"serving at http://127.0.0.1:{port} ", file=sys.stderr, flush=True)
PolyadicServer(service, "127.0.0.1", 0, announce).run()
"""


@dataclass(frozen=True)
class Served:
    """A server process; ``log`` is the file of what it says on standard error."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def url(self) -> str:
        return self.log.read_text().split(" at ")[1].split(" ")[0]

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def end(self) -> int:
        """Ask it to end as a container is; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(_SECONDS_TO_END)


@contextmanager
def served(
    log: Path,
    command: Sequence[str],
    environment: Mapping[str, str],
    cwd: Path | None = None,
    alone: bool = False,
) -> Iterator[Served]:
    """A server that takes requests by this command, with these variables besides those that there are, or alone."""
    with log.open("w") as errors:
        variables = {**({} if alone else os.environ), **environment}
        process = subprocess.Popen(command, stderr=errors, env=variables, cwd=cwd)
    try:
        wait_until(lambda: " at http" in log.read_text() or process.poll() is not None)
        assert process.poll() is None, log.read_text()
        yield Served(process, log)
    finally:
        process.kill()
        process.wait()


@contextmanager
def served_by_a_process(
    folder: Path, limits: ServerLimits | None = None
) -> Iterator[tuple[subprocess.Popen[bytes], httpx2.Client]]:
    """``polyadic serve``, or the server with these limits where some are given."""
    code = f"import json, sys\n{_COMMAND if limits is None else _LIMITED}"
    command = [sys.executable, "-c", code, str(folder), json.dumps(asdict(limits or ServerLimits()))]
    with (
        served(folder.with_name("server.log"), command, {}) as server,
        httpx2.Client(base_url=server.url, timeout=30, verify=False) as client,
    ):
        yield server.process, client


def opened(process: subprocess.Popen[bytes], kind: str = "") -> int:
    """How many files, sockets and pipes a process has open, or how many of a kind such as ``socket:``."""
    found = 0
    for link in Path(f"/proc/{process.pid}/fd").iterdir():
        with suppress(OSError):
            found += str(link.readlink()).startswith(kind)
    return found


def figure(client: httpx2.Client, name: str) -> float:
    """A figure of the server's own."""
    found = re.search(rf"^{name} (\S+)$", client.get("/metrics").text, re.MULTILINE)
    assert found, name
    return float(found[1])


def workers(process: subprocess.Popen[bytes]) -> list[int]:
    """The processes that a server has started."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(number) for number in children.split()]


def killed(process: subprocess.Popen[bytes], wait: bool = True) -> None:
    """As where the power goes, or memory runs out."""
    process.send_signal(signal.SIGKILL)
    if wait:
        process.wait()
