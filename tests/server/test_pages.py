"""Pages of a document: where they begin, and images of those of a PDF file."""

import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import httpx2
import pytest

from polyadic.concurrency.async_to_sync import run_coroutine
from polyadic.loaders.pages.page_rendering import render_page
from polyadic.model.identity import document_id
from polyadic.model.original_file import file_digest
from polyadic.model.types import Document
from polyadic.query.original_files import has_original
from polyadic.server.api_keys import KeyRing, keys_file
from polyadic.server.problem_details import ProblemError
from polyadic.server.routes import pages
from polyadic.server.routes.pages import page_image
from polyadic.server.server_limits import ServerLimits
from polyadic.workspace import Workspace
from tests.server.running_server import finished, make, running, wait_until
from tests.support.documents import LOCKED_PDF, pdf
from tests.support.scans import picture
from tests.support.stores import rows_of

PAGES = [["Engines", "", "Charles Babbage designed the Engine."], ["Notes", "", "Ada Lovelace met Charles Babbage."]]
PDF = pdf(PAGES)
KEEP = "[reading]\nkeep_originals = true\n"
HERE = "/v1/workspaces/kb/documents"


def settings(folder: Path, more: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "polyadic.toml").write_text(f'[embedding]\nmodel = "hashing"\n{more}')
    return folder


def size_of(image: bytes) -> tuple[int, int]:
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", image[16:24])
    return width, height


def upload(client: httpx2.Client, content: bytes = PDF) -> str:
    job = client.post(f"{HERE}/files", files={"files": ("engines.pdf", content)}).json()
    assert finished(client, "kb", job["id"])["state"] == "succeeded"
    return f"{HERE}/{document_id('upload:engines.pdf')}"


@pytest.fixture
def indexed(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A folder of workspaces, and the file that ``kb`` was indexed from."""
    file = tmp_path / "docs" / "engines.pdf"
    file.parent.mkdir()
    file.write_bytes(PDF)
    with Workspace(settings(tmp_path / "served" / "kb")) as kb:
        kb.index([file.parent])
    yield tmp_path / "served", file


@pytest.mark.slow
def test_kept_file_is_shown_until_its_document_is_deleted(tmp_path: Path) -> None:
    with running(settings(tmp_path, KEEP)) as server, server.client() as client:
        make(client, "kb")
        document = upload(client)
        starts = client.get(f"{document}/pages").json()
        assert starts == {"starts": [0, 47], "has_images": True}
        first, second = (client.get(f"{document}/pages/{number}") for number in (1, 2))
        assert first.headers["content-type"] == "image/png"
        assert size_of(first.content) == size_of(second.content) == (1240, 1605)
        assert first.content != second.content
        assert [client.get(f"{document}/pages/{number}").status_code for number in (0, 3, 20_001)] == [422, 404, 422]
        assert client.delete(document).status_code == 204
        for path in ("pages", "pages/1"):
            assert client.get(f"{document}/{path}").status_code == 404
    with Workspace(tmp_path / "kb") as kb:
        assert list(rows_of(kb.store(), ("original_segment",))) == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tesseract") is None and not os.environ.get("CI"), reason="tesseract is not installed")
def test_uploaded_picture_is_read_and_shown_if_ocr_is_on(tmp_path: Path) -> None:
    content = picture(PAGES, "PNG")
    with running(settings(tmp_path, f'{KEEP}[ocr]\nengine = "tesseract"\n')) as server, server.client() as client:
        make(client, "kb")
        job = client.post(f"{HERE}/files", files={"files": ("engines.png", content)}).json()
        assert finished(client, "kb", job["id"])["state"] == "succeeded"
        document = f"{HERE}/{document_id('upload:engines.png')}"
        assert "Charles Babbage designed the Engine." in client.get(f"{document}/text").text
        assert client.get(f"{document}/pages").json() == {"starts": [0], "has_images": True}
        assert size_of(client.get(f"{document}/pages/1").content) == (1240, 1605)
        assert client.get(f"{document}/pages/2").status_code == 404


def test_picture_is_refused_without_ocr(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as server, server.client() as client:
        make(client, "kb")
        assert client.post(f"{HERE}/files", files={"files": ("engines.png", b"")}).status_code == 415


def test_unchanged_image_is_not_sent_again(indexed: tuple[Path, Path]) -> None:
    folder, file = indexed
    with running(folder) as server, server.client() as client:
        document = f"{HERE}/{document_id(str(file))}"
        first = client.get(f"{document}/pages/1")
        assert first.headers["cache-control"] == "private, no-cache"
        known = {"If-None-Match": first.headers["etag"]}
        again = client.get(f"{document}/pages/1", headers=known)
        assert (again.status_code, again.content) == (304, b"")
        assert client.get(f"{document}/pages/2", headers=known).status_code == 200
        file.write_bytes(pdf([*PAGES, ["Bridges"]]))
        with Workspace(folder / "kb") as kb:
            kb.index([file])
        assert client.get(f"{document}/pages/1", headers=known).status_code == 200


def test_file_that_is_not_kept_has_no_images(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as server, server.client() as client:
        make(client, "kb")
        document = upload(client)
        assert client.get(f"{document}/pages").json() == {"starts": [0, 47], "has_images": False}
        reply = client.get(f"{document}/pages/1")
        assert (reply.status_code, reply.json()["type"]) == (404, "urn:polyadic:problem:no-page-image")


def test_unchanged_file_on_disk_is_shown(indexed: tuple[Path, Path]) -> None:
    folder, file = indexed
    with running(folder) as server, server.client() as client:
        document = f"{HERE}/{document_id(str(file))}"
        assert client.get(f"{document}/pages").json()["has_images"]
        assert size_of(client.get(f"{document}/pages/2").content) == (1240, 1605)
        file.write_bytes(pdf([["Secret"], ["Secret"]]))
        assert not client.get(f"{document}/pages").json()["has_images"]
        assert client.get(f"{document}/pages/2").status_code == 404


def test_large_file_is_compared_without_reading_it_whole(indexed: tuple[Path, Path]) -> None:
    folder, file = indexed
    content = bytes(20_000_000)
    file.write_bytes(content)
    identifier = document_id(str(file))
    with Workspace(folder / "kb") as kb:
        with kb.store().write() as writer:
            writer.put_original(identifier, file_digest(content), None, is_staged=False)
        with kb.store().read() as reader:
            tracemalloc.start()
            assert has_original(reader, identifier)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    assert peak < 2_000_000


def test_pages_are_listed_under_admission_control(indexed: tuple[Path, Path]) -> None:
    folder, file = indexed
    limits = ServerLimits(questions_at_once=0, questions_waiting=0)
    with running(folder, limits=limits) as server, server.client() as client:
        assert client.get(f"{HERE}/{document_id(str(file))}/pages").status_code == 503


@pytest.mark.slow
def test_page_is_not_rendered_for_a_client_that_has_left(
    indexed: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, file = indexed
    rendered = []

    async def counted(content: bytes, number: int, seconds: float) -> bytes:
        rendered.append(number)
        return await page_image(content, number, seconds)

    monkeypatch.setattr(pages, "page_image", counted)
    document = f"{HERE}/{document_id(str(file))}"
    with running(folder, limits=ServerLimits(pages_at_once=0)) as server, server.client() as client:
        with server.client() as leaving, pytest.raises(httpx2.ReadTimeout):
            leaving.get(f"{document}/pages/1", timeout=2)
        wait_until(lambda: not server.server.server_state.connections)
        server.service.renderings.release()
        assert client.get(f"{document}/pages/2").status_code == 200
    assert rendered == [2]


def test_link_in_place_of_the_folder_is_not_followed(indexed: tuple[Path, Path]) -> None:
    folder, file = indexed
    moved = file.parent.rename(file.parent.with_name("elsewhere"))
    file.parent.symlink_to(moved, target_is_directory=True)
    with running(folder) as server, server.client() as client:
        assert client.get(f"{HERE}/{document_id(str(file))}/pages/1").status_code == 404


def test_other_text_with_the_source_of_a_file_reveals_no_file(indexed: tuple[Path, Path]) -> None:
    folder, file = indexed
    secret = file.with_name("secret.pdf")
    secret.write_bytes(PDF)
    with Workspace(folder / "kb") as kb:
        kb.add([Document(str(secret), "", "Ada Lovelace met Charles Babbage.", pages=(0,))])
    with running(folder) as server, server.client() as client:
        job = client.put(f"{HERE}/{document_id(str(file))}", json={"text": "Ada Lovelace met Lord Byron."}).json()
        assert finished(client, "kb", job["id"])["state"] == "succeeded"
        for source in (secret, file):
            document = f"{HERE}/{document_id(str(source))}"
            assert not client.get(f"{document}/pages").json()["has_images"]
            assert client.get(f"{document}/pages/1").status_code == 404


def test_key_with_a_filter_sees_pages_of_its_documents_only(indexed: tuple[Path, Path]) -> None:
    folder, file = indexed
    file.write_bytes(pdf(PAGES, {"Author": "Ada"}))
    with Workspace(folder / "kb") as kb:
        kb.index([file])
    ring = KeyRing(keys_file(folder))
    everything = ring.add("all", "write", ["*"])[1]
    authors, others = (ring.add("some", "read", ["kb"], {"author": name})[1] for name in ("Ada", "Charles"))
    document = f"{HERE}/{document_id(str(file))}"
    with running(folder, keyed=True) as server, server.client(everything) as client:
        known = {"If-None-Match": client.get(f"{document}/pages/1").headers["etag"]}
        with server.client(authors) as seeing, server.client(others) as hidden:
            assert seeing.get(f"{document}/pages/1").status_code == 200
            assert seeing.get(f"{document}/pages").json()["has_images"]
            assert hidden.get(f"{document}/pages").status_code == 404
            assert hidden.get(f"{document}/pages/1").status_code == 404
            assert hidden.get(f"{document}/pages/1", headers=known).status_code == 404


def test_setting_applies_to_unchanged_documents_when_they_are_indexed_again(tmp_path: Path) -> None:
    file = tmp_path / "engines.pdf"
    file.write_bytes(PDF)
    identifier = document_id(str(file))
    for more, content in (("", None), (KEEP, PDF), ("", None)):
        with Workspace(settings(tmp_path / "kb", more)) as kb:
            report = kb.index([file])
            with kb.store().read() as reader:
                assert reader.records.original_content(identifier) == content
    assert (report.unchanged, report.added) == (1, 0)


def test_kept_file_stays_when_failed_chunks_are_read_again(tmp_path: Path) -> None:
    file = tmp_path / "engines.pdf"
    file.write_bytes(PDF)
    identifier = document_id(str(file))
    with Workspace(settings(tmp_path / "kb", KEEP)) as kb:
        kb.index([file])
        with sqlite3.connect(tmp_path / "kb" / "store.sqlite") as connection:
            connection.execute("UPDATE chunk SET failure = 'no reply', evidence = NULL")
        kb.retry()
        assert [record.failed for record in kb.documents()] == [0]
        with kb.store().read() as reader:
            assert reader.records.original_content(identifier) == PDF


def test_hostile_files_do_no_harm() -> None:
    for content in (b"", b"no PDF", LOCKED_PDF, PDF[: len(PDF) // 2]):
        with pytest.raises(ProblemError) as refused:
            run_coroutine(page_image(content, 1, 20))
        assert refused.value.status_code == 422
    with pytest.raises(ProblemError) as late:
        run_coroutine(page_image(PDF, 1, 0.001))
    assert late.value.status_code == 504


@pytest.mark.parametrize("box", ["0 0 14400 14400", "0 0 1 14400", "0 0 14400 1", "0 0 1 20000000"])
def test_size_of_an_image_is_bounded(box: str) -> None:
    width, height = size_of(render_page(PDF.replace(b"0 0 612 792", box.encode().ljust(11)), 1))
    assert 1 <= width * height <= 4_100_000
    assert max(width, height) <= 16_000


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process on Linux only")
def test_memory_of_a_rendering_is_limited() -> None:
    code = """
        import sys
        from polyadic.loaders.pages import page_rendering

        page_rendering.main()
        try:
            bytearray(3_000_000_000)
        except MemoryError:
            sys.exit("out of memory")
    """
    command = [sys.executable, "-c", dedent(code), "1", "1240"]
    rendering = subprocess.run(command, input=PDF, capture_output=True, check=False)
    assert size_of(rendering.stdout) == (1240, 1605)
    assert rendering.stderr.strip() == b"out of memory"
