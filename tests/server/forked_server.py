"""A server that was forked and forks its jobs: ``python -m tests.server.forked_server ARGUMENTS``.

They are those of the command, or a folder and limits that the command has no options for: the fields of
``ServerLimits`` as JSON.
"""

import json
import sys
from pathlib import Path

from polyadic.cli.main import run
from polyadic.server.server import PolyadicServer, service_for
from polyadic.server.server_limits import ServerLimits
from tests.support.forked_jobs import fork_jobs_of_a_fork


def main(*arguments: str) -> int:
    """Serve until a signal comes."""
    fork_jobs_of_a_fork()
    if arguments[0] == "serve":
        return run([*arguments])
    folder, limits = arguments
    service = service_for(Path(folder), "127.0.0.1", None, ServerLimits(**json.loads(limits)))
    PolyadicServer(service, "127.0.0.1", 0, _announce).run()
    return 0


def _announce(port: int) -> None:
    print(f"serving at http://127.0.0.1:{port} ", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
