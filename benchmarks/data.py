"""Where the data sets are, and workspaces filled with them."""

import os
import sys
from pathlib import Path

from polyadic.evaluation.datasets import Dataset, load_beir
from polyadic.workspace import Workspace

SETS = ("hotpotqa-100", "2wiki-101")


def data_folder() -> Path:
    """The folder that POLYADIC_DATA names; ends the program with one line where there is none."""
    folder = os.environ.get("POLYADIC_DATA")
    if not folder or not Path(folder).is_dir():
        sys.exit("POLYADIC_DATA does not name a folder: set it to where hotpotqa-100/ and the other sets are")
    return Path(folder)


def load(name: str) -> Dataset:
    return load_beir(data_folder() / name)


def filled(dataset: Dataset, folder: Path) -> Workspace:
    """A workspace below ``folder`` that holds the corpus of a data set; filled now if it is not yet."""
    workspace = Workspace(folder / dataset.name)
    workspace.index([dataset.corpus])
    return workspace
