"""Scanned pages, read by a vision model behind a real server."""

from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, ModelSettings, OcrSettings, RoleModelSettings, Settings
from polyadic.errors import SettingsError
from polyadic.llm.budget import SpendingBudget
from polyadic.loaders.ocr.page_recognizer import SET_ENGINE
from polyadic.model.identity import document_id
from polyadic.workspace import Workspace
from tests.model_server import Asked, ModelServer, Status
from tests.support.documents import pdf
from tests.support.scans import joined_pdf, scanned_pdf

BABBAGE = "Charles Babbage designed the Analytical Engine in London."
TYPED = ["Grace Hopper wrote the first compiler for the UNIVAC computer."]
SCAN = scanned_pdf([["Charles Babbage", "designed it."]])
PROMPT_PRICE, COMPLETION_PRICE = 1.0, 2.0


def transcribes(asked: Asked) -> str | None:
    """Transcribe pages; anything but one image is no page."""
    (image,) = asked.messages[-1].images
    assert image.startswith(b"\x89PNG")
    return f"```markdown\n# Engines\n\n{BABBAGE}\n```"


def workspace(folder: Path, server: ModelServer) -> Workspace:
    vision = RoleModelSettings(
        name="recorded",
        base_url=server.url,
        key_variable="",
        retries=0,
        prompt_price=PROMPT_PRICE,
        completion_price=COMPLETION_PRICE,
    )
    return Workspace(
        folder / "kb",
        Settings(
            ocr=OcrSettings(engine="model"),
            model=ModelSettings(vision=vision),
            embedding=EmbeddingSettings(model="hashing"),
        ),
    )


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / "docs" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def test_page_is_read_once_and_its_cost_recorded(tmp_path: Path) -> None:
    file = written(tmp_path, "engines.pdf", joined_pdf(pdf([TYPED]), SCAN))
    with ModelServer([transcribes]) as server, workspace(tmp_path, server) as kb:
        report = kb.index([file])
        with kb.store().read() as reader:
            document = reader.records.document(document_id(str(file)))
        assert document.text == f"{TYPED[0]}\n\n# Engines\n\n{BABBAGE}"
        assert document.pages == (0, len(TYPED[0]) + 2)
        (call,) = server.calls
        assert (report.usage.calls, report.usage.prompt_tokens) == (1, call.prompt_tokens)
        (entry,) = kb.ledger(str(file)).calls
        assert (entry.call.purpose, entry.call.model) == ("ocr", "recorded")
        assert kb.index([file]).unchanged == 1
        assert len(server.calls) == 1


def test_page_without_a_reply_is_read_by_the_next_run(tmp_path: Path) -> None:
    file = written(tmp_path, "engines.pdf", joined_pdf(pdf([TYPED]), SCAN))
    with ModelServer([transcribes]) as server, workspace(tmp_path, server) as kb:
        server.misbehave(Status(400))
        (skipped,) = kb.index([file]).skipped
        assert "1 of its 2 pages cannot be read: 2" in skipped.reason
        assert kb.index([file]).changed == 1


def test_run_stops_and_keeps_other_documents_while_the_model_is_unavailable(tmp_path: Path) -> None:
    first = written(tmp_path, "a.txt", TYPED[0].encode())
    written(tmp_path, "b.pdf", SCAN)
    with ModelServer([transcribes]) as server, workspace(tmp_path, server) as kb:
        server.misbehave(Status(401), times=None)
        report = kb.index([first.parent], prune=True)
        assert report.added == 1
        assert "401" in report.stopped or "key" in report.stopped
        server.behave()
        assert kb.index([first.parent]).added == 1


def test_budget_covers_pages(tmp_path: Path) -> None:
    first = written(tmp_path, "a.txt", TYPED[0].encode())
    written(tmp_path, "b.pdf", SCAN)
    with ModelServer([transcribes]) as server, workspace(tmp_path, server) as kb:
        report = kb.index([first.parent], budget=SpendingBudget(tokens=100))
        assert (report.budget_used_up, report.added, server.calls) == (True, 1, [])


def test_estimate_counts_pages_without_calling_the_model(tmp_path: Path) -> None:
    file = written(tmp_path, "engines.pdf", scanned_pdf([["One"], ["Two"]]))
    with ModelServer([transcribes]) as server, workspace(tmp_path, server) as kb:
        before = kb.estimate([file])
        assert (before.scanned_pages, before.usage.calls, before.documents, before.skipped) == (2, 2, 1, [])
        assert before.usage.money == pytest.approx((2 * 3300 * PROMPT_PRICE + 2 * 700 * COMPLETION_PRICE) / 1e6)
        assert not server.calls
        kb.index([file])
        after = kb.estimate([file])
        assert (after.scanned_pages, after.usage.calls) == (0, 0)


def test_scanned_file_is_refused_without_ocr_and_engine_without_a_model(tmp_path: Path) -> None:
    file = written(tmp_path, "engines.pdf", SCAN)
    embedding = EmbeddingSettings(model="hashing")
    with Workspace(tmp_path / "off", Settings(embedding=embedding)) as kb:
        assert kb.index([file]).skipped[0].next_step == SET_ENGINE
    settings = Settings(ocr=OcrSettings(engine="model"), embedding=embedding)
    with Workspace(tmp_path / "kb", settings) as kb, pytest.raises(SettingsError, match="needs a language model"):
        kb.index([file])
