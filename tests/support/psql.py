"""Commands of the documentation, run as an operator would: by a shell that finds psql, pg_dump and the server."""

import os
import re
import subprocess
from pathlib import Path

from tests.support.own_server import OwnServer

_DOCS = Path(__file__).parents[2] / "docs"


def blocks(page: str, section: str) -> list[str]:
    """The fenced commands in a section of a page."""
    text = (_DOCS / page).read_text().partition(f"## {section}\n")[2].partition("\n## ")[0]
    return re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def ran(server: OwnServer, command: str, folder: Path, user: str = "") -> None:
    """Run a command of the shell, which has to end well."""
    environment = {
        **os.environ,
        "PATH": f"{server.programs}:{os.environ['PATH']}",
        "PGHOST": server.database.rpartition("host=")[2],
        **({"PGUSER": user} if user else {}),
    }
    arguments = ["/bin/sh", "-ec", command]
    done = subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def as_superuser(server: OwnServer, commands: str, folder: Path) -> None:
    """Run commands of psql."""
    (folder / "commands.sql").write_text(commands)
    ran(server, "psql -v ON_ERROR_STOP=1 -d postgres -f commands.sql", folder, "postgres")


def address_of(server: OwnServer, user: str, database: str) -> str:
    return server.database.replace("postgres:@/postgres", f"{user}@/{database}")
