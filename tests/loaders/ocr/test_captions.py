"""Captions of pictures in documents with text, by a vision model behind a real server."""

import base64
from collections.abc import Callable
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from PIL import Image
from pypdfium2 import PdfDocument, PdfMatrix
from pypdfium2._helpers.pageobjects import PdfImage

from polyadic.config import EmbeddingSettings, ModelSettings, OcrSettings, RoleModelSettings, Settings
from polyadic.errors import SettingsError
from polyadic.llm.budget import SpendingBudget
from polyadic.model.identity import document_id
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.model_server import Asked, ModelServer, Status
from tests.support.documents import docx, epub, pdf, pptx, saved

TYPED = ["Charles Babbage designed the Analytical Engine in London. It was to be driven by a steam engine."]
CAPTION = "A drawing shows the mill of the Analytical Engine with 50 columns of wheels."
RED, BLUE = (200, 0, 0), (0, 0, 200)


def picture(colour: tuple[int, int, int] = RED, width: int = 160, height: int = 120) -> bytes:
    """A picture of one colour as PNG."""
    return saved(lambda file: Image.new("RGB", (width, height), colour).save(file, "PNG"))


def pdf_with_pictures(*pages: tuple[list[str], list[tuple[tuple[int, int, int], int]]], rotation: int = 0) -> bytes:
    """A PDF whose pages have lines and, below them, pictures of a colour and a width in points."""
    opened = PdfDocument(pdf([lines for lines, _ in pages]))
    for page, (_, pictures) in zip(opened, pages, strict=True):
        for place, (colour, width) in enumerate(pictures):
            image = PdfImage.new(opened)
            image.load_jpeg(saved_jpeg(colour))
            image.set_matrix(PdfMatrix().scale(width, width * 0.75).translate(72, 400 - 150 * place))
            page.insert_obj(image)
        page.set_rotation(rotation)
        page.gen_content()
    return saved(opened.save)


def saved_jpeg(colour: tuple[int, int, int]) -> BytesIO:
    return BytesIO(saved(lambda file: Image.new("RGB", (160, 120), colour).save(file, "JPEG", quality=95)))


def describes(asked: Asked) -> str | None:
    """Describe red pictures; call blue ones decoration."""
    (png,) = asked.messages[-1].images
    with Image.open(BytesIO(png)) as image:
        width, height = image.size
        corner, middle, other = (
            image.convert("RGB").crop((x, y, x + 1, y + 1)).tobytes()
            for x, y in ((2, 2), (width // 2, height // 2), (width - 3, height - 3))
        )
        assert corner == middle == other
    return CAPTION if middle[0] > middle[2] else "(empty)"


def workspace(folder: Path, server: ModelServer, captions: int = 10, name: str = "kb") -> Workspace:
    vision = RoleModelSettings(name="recorded", base_url=server.url, key_variable="", retries=0, prompt_price=1.0)
    return Workspace(
        folder / name,
        Settings(
            ocr=OcrSettings(captions=captions),
            model=ModelSettings(vision=vision),
            embedding=EmbeddingSettings(model="hashing"),
        ),
    )


def written(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / "docs" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def stored(kb: Workspace, file: Path) -> Document:
    with kb.store().read() as reader:
        return reader.records.document(document_id(str(file)))


def damaged(content: bytes) -> bytes:
    """A picture whose header is right and whose pixels are not."""
    place = content.index(b"IDAT") + 4
    return content[:place] + bytes(8) + content[place + 8 :]


def word_file(*parts: str | bytes) -> bytes:
    opened = docx()
    for part in parts:
        if isinstance(part, bytes):
            opened.add_picture(BytesIO(part))
        else:
            opened.add_paragraph(part)
    return saved(opened.save)


def slides(*pictures: bytes) -> bytes:
    opened: Any = pptx()
    first = opened.slides.add_slide(opened.slide_layouts[5])
    first.shapes.title.text = "Engines of Babbage"
    second = opened.slides.add_slide(opened.slide_layouts[5])
    second.shapes.title.text = "The mill"
    for content in pictures:
        second.shapes.add_picture(BytesIO(content), 0, 0)
    return saved(opened.save)


@pytest.mark.parametrize("rotation", [0, 90])
def test_caption_in_a_pdf_is_evidence_with_its_page_and_picture(tmp_path: Path, rotation: int) -> None:
    content = pdf_with_pictures((TYPED, []), (TYPED, [(BLUE, 200), (RED, 200)]), rotation=rotation)
    file = written(tmp_path, "engines.pdf", content)
    with ModelServer([describes]) as server, workspace(tmp_path, server) as kb:
        report = kb.index([file])
        document = stored(kb, file)
        assert document.text == f"{TYPED[0]}\n\n{TYPED[0]}\n\nPicture 2: {CAPTION}"
        assert report.usage.calls == len(server.calls) == 2
        assert {entry.call.purpose for entry in kb.ledger(str(file)).calls} == {"captions"}
        answer = kb.query("How many columns of wheels has the mill?")
        assert CAPTION in answer.text
        assert any(citation.place.page == 2 for citation in answer.citations)


def test_pictures_are_described_once_and_again_only_if_that_failed(tmp_path: Path) -> None:
    file = written(tmp_path, "engines.pdf", pdf_with_pictures((TYPED, [(RED, 200), (BLUE, 200)])))
    with ModelServer([describes]) as server, workspace(tmp_path, server) as kb:
        server.misbehave(Status(400))
        (skipped,) = kb.index([file]).skipped
        assert "1 of its pictures has no caption" in skipped.reason
        assert TYPED[0] in stored(kb, file).text
        kb.index([file])
        assert len(server.calls) == 3
        assert kb.index([file]).unchanged == 1
        assert len(server.calls) == 3


def test_number_size_and_cost_are_bounded(tmp_path: Path) -> None:
    page = (TYPED, [(RED, 200), (BLUE, 200), (RED, 60)])
    file = written(tmp_path, "engines.pdf", pdf_with_pictures(page, page))
    with ModelServer([describes]) as server:
        with workspace(tmp_path, server, captions=0, name="off") as kb:
            assert kb.index([file]).usage.calls == 0
        with workspace(tmp_path, server) as kb:
            first = written(tmp_path, "a.txt", TYPED[0])
            report = kb.index([first, file], budget=SpendingBudget(tokens=100))
            assert (report.budget_used_up, report.added, server.calls) == (True, 1, [])
        with workspace(tmp_path, server, captions=1, name="one") as kb:
            before = kb.estimate([file])
            assert (before.pictures, before.usage.calls, server.calls) == (1, 1, [])
            kb.index([file])
            assert kb.estimate([file]).pictures == 0
            assert len(server.calls) == 1
        with workspace(tmp_path, server, name="all") as kb:
            kb.index([file])
            assert stored(kb, file).text.count(CAPTION) == 1
            assert len(server.calls) == 1 + 2


def test_scanned_pages_and_backgrounds_are_no_pictures(tmp_path: Path) -> None:
    scanned = written(tmp_path, "a.pdf", pdf_with_pictures((TYPED, []), ([], [(RED, 200)])))
    long = [f"Line {number} of a page with more text than a stamp has on any page of it." for number in range(9)]
    opened = PdfDocument(pdf([long]))
    image = PdfImage.new(opened)
    image.load_jpeg(saved_jpeg(RED))
    image.set_matrix(PdfMatrix().scale(612, 792))
    opened[0].insert_obj(image)
    opened[0].gen_content()
    behind = written(tmp_path, "b.pdf", saved(opened.save))
    with ModelServer([describes]) as server, workspace(tmp_path, server) as kb:
        kb.index([scanned, behind])
        assert not server.calls


def test_caption_in_a_word_file_follows_its_paragraph(tmp_path: Path) -> None:
    content = word_file("The mill is the part that calculates.", picture(), "Numbers wait in the store.", picture())
    file = written(tmp_path, "mill.docx", content)
    with ModelServer([describes]) as server, workspace(tmp_path, server) as kb:
        kb.index([file])
        assert stored(kb, file).text == (
            f"The mill is the part that calculates.\n\nPicture 1: {CAPTION}\n\nNumbers wait in the store."
        )
        assert len(server.calls) == 1


def test_caption_in_a_presentation_is_on_its_slide(tmp_path: Path) -> None:
    file = written(tmp_path, "mill.pptx", slides(picture(width=20), picture(BLUE), picture()))
    with ModelServer([describes]) as server, workspace(tmp_path, server) as kb:
        kb.index([file])
        document = stored(kb, file)
        assert document.text == f"# Engines of Babbage\n\n# The mill\n\nPicture 2: {CAPTION}"
        assert document.text.index("# The mill") == document.pages[1]


def test_pictures_of_a_web_page_are_inline_or_below_its_folder_and_never_fetched(tmp_path: Path) -> None:
    inline = base64.b64encode(picture()).decode()
    (tmp_path / "docs" / "page files").mkdir(parents=True)
    (tmp_path / "docs" / "page files" / "mill.png").write_bytes(picture((220, 0, 0)))
    (tmp_path / "secret.png").write_bytes(picture((210, 0, 0)))
    (tmp_path / "docs" / "link.png").symlink_to(tmp_path / "secret.png")
    sources = ["../secret.png", "link.png", str(tmp_path / "secret.png"), f"file://{tmp_path}/secret.png"]
    with ModelServer([describes]) as server, workspace(tmp_path, server) as kb:
        sources += [f"{server.url}/logo.png", server.url.removeprefix("http:"), "none.png", "data:image/png;base64,x"]
        images = "".join(f'<img src="{source}">' for source in sources)
        html = (
            f'<h1>The mill <img src="data:image/png;base64,{inline}"></h1><p>It calculates '
            f'<img src="page%20files/mill.png" alt="mill"> numbers.</p><p>They wait.{images}</p>'
        )
        file = written(tmp_path, "mill.html", html)
        kb.index([file])
        assert stored(kb, file).text == (
            f"# The mill\n\nPicture 1: {CAPTION}\n\nIt calculates numbers.\n\nPicture 2: {CAPTION}\n\nThey wait."
        )
        assert len(server.calls) == 2


def book(*pictures: bytes) -> bytes:
    """A book of two chapters; the pictures are in a folder beside the chapters, and both chapters show the first."""
    shown = '<p>It calculates <img src="../images/0.png"/> numbers.</p><p>They wait.<img src="../images/1.png"/></p>'
    content = BytesIO(epub([shown, '<p>The end.</p><img src="../images/0.png"/>']))
    with ZipFile(content, "a") as opened:
        for number, picture in enumerate(pictures):
            opened.writestr(f"OPS/images/{number}.png", picture)
    return content.getvalue()


def test_caption_in_a_book_follows_its_paragraph(tmp_path: Path) -> None:
    file = written(tmp_path, "mill.epub", book(picture(), picture(BLUE)))
    with ModelServer([describes]) as server, workspace(tmp_path, server) as kb:
        kb.index([file])
        assert stored(kb, file).text == f"It calculates numbers.\n\nPicture 1: {CAPTION}\n\nThey wait.\n\nThe end."
        assert len(server.calls) == 2


def mail(text: str, *pictures: bytes) -> bytes:
    """A message with an inline picture, and the others attached."""
    message = EmailMessage()
    message["Subject"], message["From"] = "The mill", "ada@example.org"
    message.set_content(text)
    for number, content in enumerate(pictures):
        disposition = "attachment" if number else "inline"
        message.add_attachment(
            content, maintype="image", subtype="png", disposition=disposition, filename=f"{number}.png"
        )
    return message.as_bytes()


@pytest.mark.parametrize(("text", "before"), [(TYPED[0], f"{TYPED[0]}\n\n"), ("", "")])
def test_captions_in_a_message_follow_its_text(tmp_path: Path, text: str, before: str) -> None:
    file = written(tmp_path, "mill.eml", mail(text, picture(), picture(BLUE), picture((220, 0, 0)), picture(width=9)))
    with ModelServer([describes]) as server, workspace(tmp_path, server) as kb:
        assert not kb.index([file]).skipped
        assert stored(kb, file).text == f"{before}Picture 1: {CAPTION}\n\nPicture 3: {CAPTION}"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.epub", lambda: book(damaged(picture()), picture(width=9))),
        ("a.eml", lambda: mail(TYPED[0], damaged(picture()))),
        ("a.docx", lambda: word_file(TYPED[0], damaged(picture()))),
        (
            "a.html",
            lambda: f"<p>{TYPED[0]}<img src='data:image/png;base64,{base64.b64encode(damaged(picture())).decode()}'>",
        ),
    ],
)
def test_damaged_picture_stops_no_document(tmp_path: Path, name: str, content: Callable[[], bytes | str]) -> None:
    file = written(tmp_path, name, content())
    with ModelServer([describes]) as server, workspace(tmp_path, server) as kb:
        (skipped,) = kb.index([file]).skipped
        assert "1 of its pictures has no caption (it cannot be rendered)" in skipped.reason
        assert any(text in stored(kb, file).text for text in (TYPED[0], "It calculates numbers."))


def test_captions_need_a_model(tmp_path: Path) -> None:
    file = written(tmp_path, "mill.docx", word_file(TYPED[0]))
    settings = Settings(ocr=OcrSettings(captions=5), embedding=EmbeddingSettings(model="hashing"))
    with Workspace(tmp_path / "kb", settings) as kb, pytest.raises(SettingsError, match="needs a language model"):
        kb.index([file])
