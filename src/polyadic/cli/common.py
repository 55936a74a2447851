"""What the verbs share: finding the workspace, printing for people and as JSON, showing sources."""

import dataclasses
import json
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from polyadic.config import COMMON_METHODS, DEFAULT_FOLDER, METHODS
from polyadic.model.types import Filter, SourceSpan, Usage

# Symbols of their own for control characters, one for one: whatever a document holds, a terminal only shows it.
_SYMBOLS = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
}
Command = TypeVar("Command", bound=Callable[..., Any])


class FiniteFloat(click.FloatRange):
    """A number in a range; "nan", which no comparison refuses, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is no number", param, ctx)
        return number


def workspace_option(command: Command) -> Command:
    """-w after the verb; the one before it is the default."""
    return click.option("-w", "--workspace", help="Folder or address of the workspace, as before the verb.")(command)


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/json.md).")(command)


class _Method(click.Choice[str]):
    """A method; the message about an unknown one names the common ones and where the others are described."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        return f"{value!r} is not a method: {', '.join(COMMON_METHODS)}; others: docs/methods.md"


def method_option(purpose: str) -> Callable[[Command], Command]:
    """--method, whose help names the common methods only."""
    return click.option(
        "--method",
        type=_Method(METHODS),
        metavar="NAME",
        help=f"{purpose} (default: as set, else auto): {', '.join(COMMON_METHODS)}; others: docs/methods.md.",
    )


def filter_options(command: Command) -> Command:
    """--from and --where, as ``sources`` and ``metadata``."""
    sources = click.option(
        "--from", "sources", multiple=True, metavar="DOC", help="Use DOC alone: a document or a folder."
    )
    metadata = click.option(
        "--where", "metadata", multiple=True, metavar="KEY=VALUE", help="Use only documents that have this metadata."
    )
    return sources(metadata(command))


def filter_of(sources: Sequence[str], metadata: Sequence[str], context: click.Context) -> Filter | None:
    """The filter that --from and --where describe; None where neither is given."""
    return Filter(tuple(sources), _pairs(metadata, context)) if sources or metadata else None


def _pairs(metadata: Sequence[str], context: click.Context) -> dict[str, str]:
    """Metadata as keys and values; one key cannot have two values at once."""
    pairs: dict[str, str] = {}
    for given in metadata:
        key, equals, value = given.partition("=")
        if not key or not equals:
            raise click.UsageError(f"--where {given} has no value: say --where KEY=VALUE", context)
        if pairs.setdefault(key, value) != value:
            raise click.UsageError(f"--where {key} is given twice, and a document has one {key} only", context)
    return pairs


def workspace_place(context: click.Context, given: str | None) -> str:
    """The workspace that was named after the verb, before it or in the environment, else the usual one."""
    return str(given or context.obj or os.environ.get("POLYADIC_WORKSPACE") or DEFAULT_FOLDER)


def say(text: str = "", *, bold: bool = False, err: bool = False, nl: bool = True) -> None:
    """Print a text for people, whatever it holds."""
    shown_text = visible(text)
    click.echo(click.style(shown_text, bold=True) if bold else shown_text, err=err, nl=nl)


def visible(text: str) -> str:
    """The text with a symbol for each control character other than line feed and tab.

    >>> visible("a\\x1b[2Jb\\tc\\n")
    'a␛[2Jb\\tc\\n'
    """
    return text.translate(_SYMBOLS)


def print_json(value: Any) -> None:
    """Print a value as JSON: dataclasses as objects, sorted as they are declared.

    Where the output has an encoding that cannot say it all, what is not ASCII is escaped, so nothing is lost.
    """
    text = json.dumps(plain(value), ensure_ascii=False, indent=2)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(plain(value), indent=2)
    click.echo(text)


def plain(value: Any) -> Any:
    """A value in terms of JSON.

    >>> from polyadic.model.types import Span
    >>> plain({"where": (Span(1, 2),), "folder": Path("kb")})
    {'where': [{'start': 1, 'end': 2}], 'folder': 'kb'}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def shown(source: str) -> str:
    """A source as a person here would name it: relative to the current folder where it lies below it.

    >>> shown(str(Path.cwd() / "notes" / "a.md")), shown("/elsewhere/b.md"), shown("memory:c")
    ('notes/a.md', '/elsewhere/b.md', 'memory:c')
    """
    here = f"{Path.cwd()}/"
    return source.removeprefix(here)


def where(place: SourceSpan) -> str:
    """The document, page and characters of a place.

    >>> from polyadic.model.types import Span
    >>> where(SourceSpan("", "/elsewhere/b.pdf", "", "", Span(10, 25), "", page=2))
    '/elsewhere/b.pdf, page 2, characters 10–25'
    """
    page = f", page {place.page}" if place.page else ""
    return f"{shown(place.source)}{page}, characters {place.span.start}–{place.span.end}"


def spent(usage: Usage) -> str:
    """What was paid a language model for.

    >>> spent(Usage(2, 1500, 500, 0.0123)), spent(Usage(1, 10, 5))
    ('2 calls, 1,500 tokens sent and 500 received, 0.0123 $', '1 call, 10 tokens sent and 5 received')
    """
    money = f", {usage.money:.{2 if usage.money >= 1 else 4}f} $" if usage.money else ""
    calls = count(usage.calls, "call")
    return f"{calls}, {usage.prompt_tokens:,} tokens sent and {usage.completion_tokens:,} received{money}"


def count(number: int, what: str, plural: str = "") -> str:
    """A number with its noun.

    >>> count(1, "fact"), count(2500, "fact"), count(2, "entity", "entities")
    ('1 fact', '2,500 facts', '2 entities')
    """
    return f"{number:,} {what if number == 1 else plural or what + 's'}"
