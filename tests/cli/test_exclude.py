"""polyadic index --exclude, and the setting of that name."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import ADA, Command


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    for name in ("a.md", "a.txt", "old/b.md", "old/drafts/c.md", "new/drafts/d.txt", "drafts/e.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{ADA}\nAda Lovelace wrote letter {name}.\n")
    return folder


def indexed(polyadic: Command, *arguments: str) -> str:
    """The last letters of the names of what was indexed."""
    outcome = polyadic("index", *arguments, "--json")
    assert outcome.code == 0 and json.loads(outcome.out)["skipped"] == []
    listed = json.loads(polyadic("status", "--documents", "--json").out)
    return "".join(sorted(f"{Path(r['source']).stem}{Path(r['source']).suffix[1]}" for r in listed))


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        ([], "am at bm cm dt em"),
        (["*.txt"], "am bm cm em"),
        (["drafts"], "am at bm"),
        (["drafts/"], "am at bm"),
        (["/drafts"], "am at bm cm dt"),
        (["old/drafts"], "am at bm dt em"),
        (["tree/old/drafts"], "am at bm dt em"),
        (["*/drafts"], "am at bm"),
        (["o*/drafts"], "am at bm dt em"),
        (["**/drafts/*.md"], "am at bm dt"),
        (["old/**", "a.?d"], "at dt em"),
        (["nothing", ""], "am at bm cm dt em"),
    ],
)
def test_patterns_exclude_files(polyadic: Command, tree: Path, patterns: list[str], left: str) -> None:
    options = [part for pattern in patterns for part in ("--exclude", pattern)]
    assert indexed(polyadic, "tree", *options) == left.replace(" ", "")


def test_exclude_applies_to_listed_files(polyadic: Command, tree: Path) -> None:
    assert indexed(polyadic, "tree/a.md", "tree/a.txt", "--exclude", "*.txt") == "am"


def test_exclude_option_adds_to_the_setting(polyadic: Command, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYADIC_READING__EXCLUDE", '["drafts"]')
    assert json.loads(polyadic("estimate", "tree", "--json").out)["documents"] == 3
    assert json.loads(polyadic("estimate", "tree", "--exclude", "*.txt", "--json").out)["documents"] == 2
    assert json.loads(polyadic("index", "tree", "--dry-run", "--exclude", "a.*", "--json").out)["documents"] == 1
    assert indexed(polyadic, "tree", "--exclude", "*.txt") == "ambm"


def test_excluded_files_are_not_pruned(polyadic: Command, tree: Path) -> None:
    indexed(polyadic, "tree")
    assert indexed(polyadic, "tree", "--prune", "--exclude", "drafts") == "amatbmcmdtem"
