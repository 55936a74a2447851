"""The examples in the documentation, run as they stand over a workspace made for them."""

import re
import subprocess
import sys
from pathlib import Path

from polyadic.config import FILE_NAME
from polyadic.model.types import Document
from polyadic.workspace import Workspace

_DOCS = Path(__file__).parent.parent.parent / "docs"
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SKYLAB = "Jack Kinzler devised the parasol of Skylab. The first crew of Skylab pushed the parasol through an airlock."


def examples(name: str) -> list[str]:
    """The programs in a page of the documentation."""
    return _PYTHON.findall((_DOCS / name).read_text(encoding="utf-8"))


def output(program: str, folder: Path) -> str:
    """What a program prints in a folder with a small ``demo-workspace``."""
    kept = folder / "demo-workspace"
    kept.mkdir()
    (kept / FILE_NAME).write_text('[embedding]\nmodel = "hashing"\n')
    with Workspace(kept) as kb:
        kb.add([Document("/notes/skylab.md", "Skylab", SKYLAB)])
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder)
    return ran.stdout
