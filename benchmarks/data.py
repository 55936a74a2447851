"""Load data sets and fill workspaces with them."""

import os
import sys
from pathlib import Path

from polyadic.evaluation.dataset_formats import load_beir
from polyadic.evaluation.datasets import Dataset
from polyadic.workspace import Workspace

SETS = ("hotpotqa-100", "2wiki-101")


def data_folder() -> Path:
    """Return the folder given by POLYADIC_DATA; exits with a message if there is none."""
    folder = os.environ.get("POLYADIC_DATA")
    if not folder or not Path(folder).is_dir():
        sys.exit("POLYADIC_DATA does not name a folder: set it to where hotpotqa-100/ and the other sets are")
    return Path(folder)


def load(name: str) -> Dataset:
    return load_beir(data_folder() / name)


def filled(dataset: Dataset, folder: Path) -> Workspace:
    """Open a workspace below ``folder`` with the corpus of a data set, indexed if necessary."""
    workspace = Workspace(folder / dataset.name)
    workspace.index([dataset.corpus])
    return workspace
