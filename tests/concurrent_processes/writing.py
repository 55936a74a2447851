"""Changes the letters of a workspace over and over: ``python -m tests.concurrent_processes.writing PLACE TOLD``,
until input ends.

After every change of the group its version is written to the file TOLD, renamed into place.
"""

import json
import random
import select
import sys
from pathlib import Path

from polyadic.workspace import Workspace
from tests.concurrent_processes.letters import GROUP, LOOSE, SETTINGS, letter


def main(place: str, version_file: Path) -> None:
    drawn = random.Random(3)
    version = deleted = 0
    here: set[str] = set()
    with Workspace(place, SETTINGS) as kb:
        while not (version and _over()):
            version += 1
            kb.add([letter(source, version) for source in GROUP])
            aside = version_file.with_suffix(".aside")
            aside.write_text(str(version))
            aside.replace(version_file)
            source = drawn.choice(LOOSE)
            if source in here and drawn.random() < 0.5:
                kb.delete(source)
                here.remove(source)
                deleted += 1
            else:
                kb.add([letter(source, version)])
                here.add(source)
    print(json.dumps({"versions": version, "deleted": deleted}))


def _over() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
