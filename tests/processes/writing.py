"""Changes the letters of a workspace over and over: ``python -m tests.processes.writing FOLDER``, until input ends.

After every change of the group its version is written to ``FOLDER.version``, renamed into place.
"""

import json
import random
import select
import sys
from pathlib import Path

from polyadic.workspace import Workspace
from tests.processes.letters import GROUP, LOOSE, SETTINGS, letter


def main(folder: Path) -> None:
    told, drawn = folder.with_suffix(".version"), random.Random(3)
    version = deleted = 0
    here: set[str] = set()
    with Workspace(folder, SETTINGS) as kb:
        while not (version and _over()):
            version += 1
            kb.add([letter(source, version) for source in GROUP])
            aside = told.with_suffix(".aside")
            aside.write_text(str(version))
            aside.replace(told)
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
    main(Path(sys.argv[1]))
