"""The examples in docstrings run and give what they show."""

import doctest
import importlib
from pathlib import Path

import pytest

import polyadic

# Examples import nearly every module, also of other frameworks.
pytestmark = pytest.mark.slow

_SOURCE = Path(polyadic.__file__).parent


def test_examples_in_docstrings_give_what_they_show() -> None:
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for file in sorted(_SOURCE.rglob("*.py")):
        if ">>> " in file.read_text(encoding="utf-8"):
            name = ".".join(file.relative_to(_SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
            for example in doctest.DocTestFinder().find(importlib.import_module(name), name):
                runner.run(example, out=report.append)
    assert runner.tries > 500
    assert not report, "".join(report)
