"""Quoted text without the marks of Markdown and reStructuredText."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.text.markup import plain, readable


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ('See [the *guide*](guide.md#top "Guide") and [list][2].', "See the guide and list."),
        ("[![build](https://x.org/b.svg)](https://x.org) Clippy", "build Clippy"),
        ("[Ada](https://en.example.org/wiki/Ada_(name)) wrote.", "Ada wrote."),
        ("Run [`make`](https://x.org) now.", "Run `make` now."),
        ("Write to <ada@example.org> or <https://x.org>.", "Write to ada@example.org or https://x.org."),
        ("git stash pop <stash> keeps **all** of _them_", "git stash pop <stash> keeps all of them"),
        ("Set __init__ or `__all__` or snake_case_name", "Set __init__ or `__all__` or snake_case_name"),
        ("a * b * c, *.py and *.txt", "a * b * c, *.py and *.txt"),
        ("The steps:\n\n* fill\n* apply\n  it", "The steps: • fill • apply it"),
        ("-a: all files\n\n-b: both. Or\nnone.\n\nMore", "-a: all files; -b: both. Or none. More"),
        ("- one item", "one item"),
        ("2. Delete it.", "2. Delete it."),
        ("Use :func:`open` or :mod:`~os.path`, ``x`` and `the list <l.html>`_.", "Use open or path, `x` and the list."),
        ("Done.\n\n.. versionadded:: 3.2\n\n.. _label:\n\nMore.", "Done. Versionadded: 3.2; More."),
        ("> quoted\n> twice", "quoted twice"),
        ("one<br/>two &amp; <b>three</b>", "one two &amp; three"),
    ],
)
def test_marks_are_not_shown(source: str, shown: str) -> None:
    assert readable(source) == shown


@given(st.text(alphabet="ab*_`[](<>):.- \n#", max_size=40))
def test_words_are_kept(source: str) -> None:
    """Only marks, and what is in the parentheses of links, are removed."""
    if not any(mark in source for mark in "[<`:"):
        assert [c for c in readable(source) if c in "ab"] == [c for c in source if c in "ab"]


def test_placeholders_are_words_and_tags_are_not() -> None:
    assert plain("- Use <mandir>/<locale>/man<section>.") == "Use <mandir>/<locale>/man<section>."
    assert (
        plain('The <b class="x">old</b> <section>mill</section><br/> is <x-big>big</x-big>.') == "The old mill is big ."
    )
