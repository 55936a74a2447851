"""Bad arguments and unknown names: one line that says what and what next, and nothing about this machine."""

from pathlib import Path
from typing import Any

import pytest

from polyadic.errors import ModelUnavailable, PolyadicError, StoreError
from polyadic.mcp.errors import one_line
from polyadic.model.types import Document
from tests.mcp.running_server import Connect, problem, result

pytestmark = pytest.mark.slow

BAD: list[tuple[str, dict[str, Any], str]] = [
    ("query", {}, "question: field required"),
    ("query", {"question": ""}, "question: "),
    ("query", {"question": " \n "}, "question: "),
    ("query", {"question": "x" * 20_001}, "at most 20000 characters"),
    ("query", {"question": 5}, "question: input should be a valid string"),
    ("query", {"question": "Who?", "method": "magic"}, "method: input should be 'none'"),
    ("query", {"question": "Who?", "effort": "utmost"}, "effort: input should be 'low'"),
    ("query", {"question": "Who?", "effort": "high"}, "effort high needs a language model, but none is set: "),
    ("query", {"question": "Who?", "context_tokens": 0}, "context_tokens: "),
    ("query", {"question": "Who?", "context_tokens": 10**30}, "context_tokens: "),
    ("query", {"question": "Who?", "items": 51}, "items: input should be less than or equal to 50"),
    ("query", {"question": "Who?", "documents": "ada.md"}, "documents: input should be a valid list"),
    ("query", {"question": "Who?", "documents": ["x"] * 51}, "documents: "),
    ("query", {"question": "Who?", "documents": [""]}, "documents.0: "),
    ("query", {"question": "Who?", "where": {"a": 1}}, "where.a: "),
    ("query", {"question": "Who?", "where": {str(n): "" for n in range(21)}}, "where: "),
    ("query", {"question": "Who?", "password": "hunter2"}, "password: extra inputs are not permitted"),
    ("search_facts", {}, "give words, entities or both"),
    ("search_facts", {"words": "  "}, "give words, entities or both"),
    ("search_facts", {"words": "x", "limit": 0}, "limit: "),
    ("search_facts", {"words": "x" * 2_001}, "words: "),
    ("search_facts", {"entities": ["x"] * 11}, "entities: "),
    ("search_facts", {"entities": ["Nobody Known"]}, "no entity matches 'Nobody Known'"),
    ("get_entity", {"entity": "Nobody Known"}, "no entity matches 'Nobody Known'"),
    ("get_entity", {"entity": "ffffffffffffffffffffffffffffffff"}, "no entity matches"),
    ("get_entity", {"entity": "London", "limit": 101}, "limit: "),
    ("get_document_span", {"document": "x" * 501}, "document: "),
    ("get_document_span", {"document": "0" * 32}, "no document matches"),
    ("get_document_span", {"document": "ada.md", "start": -1}, "start: "),
    ("get_document_span", {"document": "ada.md", "start": 5, "end": 4}, "end must not be before start"),
    ("get_document_span", {"document": "ada.md", "start": 0, "end": 20_001}, "at most 20,000 characters"),
    ("get_document_span", {"document": "ada.md", "start": 10**9}, "characters, so none from 1,000,000,000 on"),
    ("list_documents", {"limit": 201}, "limit: "),
    ("list_documents", {"limit": None}, "limit: "),
    ("list_documents", {"offset": 3}, "offset: extra inputs are not permitted"),
]
BAD_DOCUMENTS: list[dict[str, Any]] = [
    {"name": "", "text": "Eve met Adam."},
    {"name": "a\nb", "text": "Eve met Adam."},
    {"name": "a\x1b[2J", "text": "Eve met Adam."},
    {"name": " a", "text": "Eve met Adam."},
    {"name": "a" * 201, "text": "Eve met Adam."},
    {"name": "a", "text": ""},
    {"name": "a", "text": " \n"},
    {"name": "a", "text": "x" * 500_001},
    {"name": "a", "text": "Eve met Adam.", "metadata": {"": "x"}},
    {"name": "a", "text": "Eve met Adam.", "source": "/etc/passwd"},
]


@pytest.mark.parametrize(("tool", "arguments", "message"), BAD)
def test_invalid_arguments_are_refused(main: Connect, tool: str, arguments: dict[str, Any], message: str) -> None:
    said = problem(main, tool, **arguments)
    assert message in said
    assert len(said) <= 500
    assert "hunter2" not in said


@pytest.mark.parametrize("arguments", BAD_DOCUMENTS)
def test_invalid_documents_are_refused(own: Connect, arguments: dict[str, Any]) -> None:
    assert "invalid arguments for add_document" in problem(own, "add_document", **arguments)
    assert "no workspace" in problem(own, "list_documents")


@pytest.mark.parametrize("tool", ["get_document_span", "query", "search_facts"])
def test_errors_do_not_reveal_whether_a_file_exists(main: Connect, tmp_path: Path, tool: str) -> None:
    """Nor where it really lies: names are compared with names, and nothing on the disk is looked at."""
    there, link = tmp_path / "there.txt", tmp_path / "link.md"
    there.write_text("secret")
    link.symlink_to("/notes/ada.md")

    def error_for(path: Path) -> str:
        more = {"query": {"question": "x"}, "search_facts": {"words": "x"}}.get(tool, {})
        named: dict[str, Any] = {"documents": [str(path)]} if more else {"document": str(path)}
        return problem(main, tool, **more, **named).replace(path.name, "NAME")

    assert error_for(there) == error_for(tmp_path / "missing.txt") == error_for(link)


def test_errors_do_not_reveal_the_workspace_path(own: Connect, workspaces: Path) -> None:
    said = problem(own, "query", question="Who?")
    assert "there is no workspace in …/own-" in said
    assert str(workspaces) not in said


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            StoreError("/srv/kb one/main/store.sqlite cannot be used (locked)"),
            "…/main/store.sqlite cannot be used (locked)",
        ),
        (PolyadicError("nothing in /root/.cache/polyadic/models, /opt/models/x"), "nothing in …/models, …/x"),
        (PolyadicError("~/notes/secret/plan.md: see '/etc/passwd'"), "…/plan.md: see '…/passwd'"),
        (PolyadicError("/named/by/client is no folder"), "/named/by/client is no folder"),
        (ModelUnavailable("http://127.0.0.1:11434/v1/chat refuses"), "the endpoint refuses"),
        (PolyadicError("3/4 and/or a/b"), "3/4 and/or a/b"),
        (PolyadicError("two\nlines \x1b[2J"), "two lines \\x1b[2J"),
        (PolyadicError("x" * 900), "x" * 499 + "…"),
        (FileNotFoundError(2, "No such file", "/srv/secret"), "a file cannot be used (No such file)"),
        (ValueError("/srv/secret"), "unexpected ValueError: this is a defect"),
    ],
)
def test_an_error_is_one_line_without_paths_of_this_machine(error: Exception, message: str) -> None:
    said = one_line(error, "{'document': '/named/by/client'}", Path("/srv/kb one/main"))
    assert said.startswith(message) if isinstance(error, ValueError) else said == message


def test_ambiguous_title_is_refused(own: Connect) -> None:
    for name in ("one", "two"):
        result(own, "add_document", name=name, title="Same", text=f"Eve Adams met Noah {name.title()}.")
    first = min(Document(f"mcp:{name}", "", "").id for name in ("one", "two"))
    said = problem(own, "get_document_span", document="same")
    assert said.startswith("2 documents match 'same': use an id, such as ")
    assert first in said
