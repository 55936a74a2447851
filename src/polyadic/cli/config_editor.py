"""Change one setting in polyadic.toml without touching the rest of the file."""

import json
import os
import re
import tempfile
import tomllib
from contextlib import suppress
from pathlib import Path

from polyadic.errors import SettingsError


def write_setting(file: Path, section: str, name: str, value: str) -> None:
    """Set one setting in a file, which is created if missing and replaced atomically.

    Raises
    ------
    SettingsError
        The file cannot be written, or the setting is not on a line of its own.
    """
    file = file.resolve()
    text = with_setting(read_text(file), section, name, value, file)
    try:
        descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=".polyadic-", suffix=".toml")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as written:
                written.write(text)
            Path(temporary).chmod(file.stat().st_mode & 0o777 if file.exists() else 0o644)
            Path(temporary).replace(file)
        finally:
            with suppress(FileNotFoundError):
                Path(temporary).unlink()
    except OSError as error:
        raise SettingsError(f"{file} cannot be written ({error.strerror})", _by_hand(section, name, value)) from error


def read_text(file: Path) -> str:
    """Read a file without converting line ends; return "" if it does not exist."""
    if not file.exists():
        return ""
    with file.open(encoding="utf-8", newline="") as opened:
        return opened.read()


def with_setting(text: str, section: str, name: str, value: str, file: Path) -> str:
    """Set one setting in the text of a settings file: replace its line, uncomment it, or add it.

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
        number = _find_line(lines, first + 1, name)
        if number is None:
            lines[first] = lines[first] if lines[first].endswith("\n") else lines[first] + end
            lines.insert(first + 1, setting + end)
        else:
            lines[number] = setting + lines[number][_value_end(name, lines[number]) :]
        changed = "".join(lines)
    _check(text, changed, section, name, value, file)
    return changed


def _find_line(lines: list[str], start: int, name: str) -> int | None:
    """Return the number of the line that sets a name, else of the line where it is commented out."""
    commented = None
    for number, line in enumerate(lines[start:], start):
        if re.match(r"\s*\[", line):
            break
        if _value_end(name, line):
            if not line.lstrip().startswith("#"):
                return number
            commented = number if commented is None else commented
    return commented


def _value_end(name: str, line: str) -> int:
    """Return the end of the value in a line that sets a name, commented out or not; 0 if it sets another."""
    match = re.match(rf"""\s*(?:\#\s*)?{name}\s*=\s*("[^"\\]*"|'[^']*')""", line)
    return match.end() if match else 0


def _check(text: str, changed: str, section: str, name: str, value: str, file: Path) -> None:
    """Parse the changed text, which must differ from the old one in this setting only.

    TOML has more syntax than the line-based replacement knows.
    """
    try:
        expected = tomllib.loads(text)
        expected.setdefault(section, {})[name] = value
        if tomllib.loads(changed) == expected:
            return
    except tomllib.TOMLDecodeError:
        pass
    raise SettingsError(f"{file} does not set {section}.{name} on a line of its own", _by_hand(section, name, value))


def _by_hand(section: str, name: str, value: str) -> str:
    return f"set {name} = {json.dumps(value)} under [{section}] in it yourself, then run polyadic reembed"
