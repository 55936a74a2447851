"""Readers and writers at work while the embedding model is changed."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from polyadic.errors import EmbedderMismatch, StoreBusy
from polyadic.indexing.publisher import EMBEDDING_BATCH
from polyadic.indexing.reembedding import ReembeddingProgress
from polyadic.model.types import Document
from polyadic.storage.sql.reembedding import ReembeddingWriter
from polyadic.workspace import Workspace
from tests.indexing.test_reembedding import (
    LETTERS,
    METHODS,
    QUESTION,
    after,
    ask,
    assert_alike,
    content,
    filled,
    folder,
    fresh,
    old,
)
from tests.model_server import Gate, ModelServer
from tests.support.reembedding import HASHING, behind, gathered, serving, settings
from tests.support.with_a_model import story

__all__ = ["folder", "fresh", "old"]

pytestmark = pytest.mark.slow


@asynccontextmanager
async def gathering(folder: Path, server: ModelServer) -> AsyncIterator[None]:
    """What is done within happens after the first batch and before the last ones."""
    gate, begun = Gate(), asyncio.Event()
    server.misbehave(gate, times=None, when=after(2), route="embeddings")
    with Workspace(folder, settings(HASHING)) as kb:
        task = asyncio.create_task(kb.areembed(behind(server), lambda progress: begun.set()))
        try:
            await asyncio.wait_for(begun.wait(), 20)
            yield
            assert gathered(folder) == EMBEDDING_BATCH
            assert not task.done()
        finally:
            gate.opened.set()
            report = await task
    assert report.switched


def test_readers_work_until_the_switch_then_get_an_error(folder: Path) -> None:
    before = ask(folder, HASHING)

    async def meanwhile() -> None:
        with serving() as server, Workspace(folder, settings(HASHING)) as old:
            async with gathering(folder, server):
                for expected, method in zip(before, METHODS, strict=True):
                    assert (await old.aretrieve(QUESTION, method)).items == expected
            for refused in (old.aretrieve(QUESTION), old.aadd(LETTERS[:1]), old.adelete("Letters 3")):
                with pytest.raises(EmbedderMismatch, match="from the embedding model hashing-384 to hashing meanwhile"):
                    await refused

    asyncio.run(meanwhile())


def test_documents_can_be_added_and_deleted_meanwhile(folder: Path, tmp_path: Path) -> None:
    changed = replace(LETTERS[5], text=story(77, 16))
    documents = [*LETTERS[:5], changed, *LETTERS[7:], Document("memory:late", "Late", story(99, 8))]

    async def meanwhile(server: ModelServer, folder: Path) -> None:
        with Workspace(folder, settings(HASHING)) as writing:
            async with gathering(folder, server):
                await writing.aadd([changed, documents[-1]])
                await writing.adelete("Letters 6")

    with serving() as server:
        asyncio.run(meanwhile(server, folder))
        server.behave()
        assert_alike(folder, filled(tmp_path / "fresh", behind(server), documents), behind(server))


def test_texts_added_by_other_writers_are_embedded_before_the_switch(tmp_path: Path) -> None:
    """The switch keeps writers out, so it waits for one that is at work, and takes up what that one did."""
    folder, reports = filled(tmp_path / "changed", HASHING, LETTERS[:2]), list[ReembeddingProgress]()

    async def waited(server: ModelServer) -> None:
        waiting = asyncio.Event()

        def report_progress(progress: ReembeddingProgress) -> None:
            reports.append(progress)
            if progress.waiting:
                waiting.set()

        with Workspace(folder, settings(HASHING)) as kb, Workspace(folder, settings(HASHING)) as old:
            with old.store().exclusive_session():
                task = asyncio.create_task(kb.areembed(behind(server), report_progress))
                await asyncio.wait_for(waiting.wait(), 20)
                await old.aadd(LETTERS[2:4])
            assert (await task).texts_embedded > reports[0].gathered

    with serving() as server:
        asyncio.run(waited(server))
        assert_alike(folder, filled(tmp_path / "fresh", behind(server), LETTERS[:4]), behind(server))
    assert all(progress.gathered <= progress.texts for progress in reports)


def test_cancelled_reembedding_waits_for_its_transaction(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, events = threading.Event(), []
    switch = ReembeddingWriter.switch

    def slow(writer: ReembeddingWriter, windows: Mapping[str, Sequence[bytes]]) -> None:
        begun.set()
        time.sleep(0.3)
        switch(writer, windows)
        events.append("switched")

    async def cancelled(server: ModelServer) -> None:
        with Workspace(folder, settings(HASHING)) as kb:
            changing = asyncio.create_task(kb.areembed(behind(server)))
            await asyncio.to_thread(begun.wait)
            changing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await changing
            events.append("cancelled")

    monkeypatch.setattr(ReembeddingWriter, "switch", slow)
    with serving() as server:
        asyncio.run(cancelled(server))
        assert events == ["switched", "cancelled"]
        content(folder, behind(server))


def test_concurrent_reembedding_is_refused(folder: Path) -> None:
    async def twice(server: ModelServer) -> None:
        with Workspace(folder, settings(HASHING)) as other:
            async with gathering(folder, server):
                with pytest.raises(StoreBusy, match="is being changed already"):
                    await other.areembed(behind(server))

    with serving() as server:
        asyncio.run(twice(server))
