"""Changing one setting in polyadic.toml, all else in it staying as a person wrote it."""

import json
import os
import re
import tempfile
import tomllib
from contextlib import suppress
from pathlib import Path

from polyadic.errors import SettingsError


def write_setting(file: Path, section: str, name: str, value: str) -> None:
    """Set one setting in a file, which is made where there is none; it is replaced at once, or not at all.

    Raises
    ------
    SettingsError
        The file cannot be written, or has a form in which a setting cannot be replaced line by line.
    """
    file = file.resolve()
    text = with_setting(read_text(file), section, name, value, file)
    try:
        descriptor, aside = tempfile.mkstemp(dir=file.parent, prefix=".polyadic-", suffix=".toml")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as written:
                written.write(text)
            Path(aside).chmod(file.stat().st_mode & 0o777 if file.exists() else 0o644)
            Path(aside).replace(file)
        finally:
            with suppress(FileNotFoundError):
                Path(aside).unlink()
    except OSError as error:
        raise SettingsError(f"{file} cannot be written ({error.strerror})", _by_hand(section, name, value)) from error


def read_text(file: Path) -> str:
    """What a file says, line ends as they are; nothing where it is not there."""
    if not file.exists():
        return ""
    with file.open(encoding="utf-8", newline="") as opened:
        return opened.read()


def with_setting(text: str, section: str, name: str, value: str, file: Path) -> str:
    """The text of a settings file with one setting changed: in its line, in that where it is commented out, or added.

    >>> print(with_setting('[a]  # A\\n# x = "1"  # what x is\\ny = 2\\n', "a", "x", "3", Path("f.toml")), end="")
    [a]  # A
    x = "3"  # what x is
    y = 2
    """
    lines = text.splitlines(keepends=True)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    header = re.compile(rf"\s*\[\s*{section}\s*\]")
    first = next((number for number, line in enumerate(lines) if header.match(line)), None)
    setting = f"{name} = {json.dumps(value)}"
    if first is None:
        before = "" if not text or text.endswith("\n") else end
        changed = f"{text}{before}{end if text else ''}[{section}]{end}{setting}{end}"
    else:
        place = _place(lines, first + 1, name)
        if place is None:
            lines[first] = lines[first] if lines[first].endswith("\n") else lines[first] + end
            lines.insert(first + 1, setting + end)
        else:
            lines[place] = setting + lines[place][_line_of(name, lines[place]) :]
        changed = "".join(lines)
    _check(text, changed, section, name, value, file)
    return changed


def _place(lines: list[str], start: int, name: str) -> int | None:
    """The line of a section that sets a name; else the one that would if it were not commented out."""
    commented = None
    for number, line in enumerate(lines[start:], start):
        if re.match(r"\s*\[", line):
            break
        if _line_of(name, line):
            if not line.lstrip().startswith("#"):
                return number
            commented = number if commented is None else commented
    return commented


def _line_of(name: str, line: str) -> int:
    """Where the value ends in a line that sets a name, commented out or not; 0 where it does not set it."""
    found = re.match(rf"""\s*(?:\#\s*)?{name}\s*=\s*("[^"\\]*"|'[^']*')""", line)
    return found.end() if found else 0


def _check(text: str, changed: str, section: str, name: str, value: str, file: Path) -> None:
    """TOML has more forms than lines tell: what was changed is read again, and must differ in this only."""
    try:
        wanted = tomllib.loads(text)
        wanted.setdefault(section, {})[name] = value
        if tomllib.loads(changed) == wanted:
            return
    except tomllib.TOMLDecodeError:
        pass
    raise SettingsError(f"{file} does not set {section}.{name} in a line of its own", _by_hand(section, name, value))


def _by_hand(section: str, name: str, value: str) -> str:
    return f"set {name} = {json.dumps(value)} under [{section}] in it yourself, then run polyadic reembed"
