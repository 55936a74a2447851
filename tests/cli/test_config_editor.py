"""Changing one setting in polyadic.toml and nothing else."""

import tomllib
from pathlib import Path

import pytest

from polyadic.cli.config_editor import with_setting, write_setting
from polyadic.config import template
from polyadic.errors import SettingsError

FILE = Path("polyadic.toml")


def changed(text: str) -> str:
    return with_setting(text, "embedding", "model", "hashing", FILE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[embedding]\nmodel = "hashing"\n'),
        ("[walk]\ndamping = 0.5", '[walk]\ndamping = 0.5\n\n[embedding]\nmodel = "hashing"\n'),
        ("[embedding]", '[embedding]\nmodel = "hashing"\n'),
        ("[ embedding ]  # E\nname = 'x'\n", "[ embedding ]  # E\nmodel = \"hashing\"\nname = 'x'\n"),
        (
            "[model]\nmodel = 1\n[embedding]\n  model='minilm' # old\n[a]\n",
            '[model]\nmodel = 1\n[embedding]\nmodel = "hashing" # old\n[a]\n',
        ),
        (
            '[embedding]\n# model = "x"  # 1\nmodel = "minilm"  # 2\n',
            '[embedding]\n# model = "x"  # 1\nmodel = "hashing"  # 2\n',
        ),
        (
            "[embedding]\r\n# model = \"minilm\"  # m\r\n# name = 'x'\r\n",
            "[embedding]\r\nmodel = \"hashing\"  # m\r\n# name = 'x'\r\n",
        ),
        ('[embedding]\nname = "model"\n[model]\n', '[embedding]\nmodel = "hashing"\nname = "model"\n[model]\n'),
    ],
)
def test_edit_changes_one_line(before: str, after: str) -> None:
    assert changed(before) == after
    assert changed(after) == after


def test_the_template_keeps_every_comment() -> None:
    before, after = template().splitlines(), changed(template()).splitlines()
    differing = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert len(differing) == 1
    assert differing[0][0].startswith('# model = "minilm-int8"')
    assert differing[0][1] == differing[0][0].removeprefix("# ").replace('"minilm-int8"', '"hashing"', 1)
    assert tomllib.loads("\n".join(after))["embedding"] == {"model": "hashing"}


@pytest.mark.parametrize(
    "text",
    [
        'embedding = { model = "minilm" }\n',
        'embedding.model = "minilm"\n',
        '[embedding]\nmodel = """minilm"""\n',
        '[embedding]\n"model" = "minilm"\n',
        'note = """\n[embedding]\n"""\n[embedding]\nmodel = "minilm"\n',
    ],
)
def test_settings_that_cannot_be_edited_safely_are_left_alone(text: str) -> None:
    with pytest.raises(SettingsError, match=r'set model = "hashing" under \[embedding\] in it yourself'):
        changed(text)


def test_symlinks_and_permissions_are_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "real.toml", tmp_path / "polyadic.toml"
    target.write_text("[embedding]\n")
    target.chmod(0o600)
    link.symlink_to(target)
    write_setting(link, "embedding", "model", "hashing")
    assert link.is_symlink()
    assert target.read_text() == '[embedding]\nmodel = "hashing"\n'
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["polyadic.toml", "real.toml"]
