"""Captions of pictures that stand in documents with text, written by a vision model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from textwrap import shorten
from typing import Protocol

from polyadic.errors import UnreadableDocument
from polyadic.loaders.ocr.image_reader import ImageReader, PageCache, PageImage
from polyadic.loaders.pages.page_rendering import PICTURE_FORMATS
from polyadic.model.identity import digest
from polyadic.model.original_file import file_digest

MIN_PIXELS = 100
"""Minimum width and height of a picture in pixels; smaller ones are icons and lines."""

_MAX_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a document; pictures with the same digest are the same."""

    image: PageImage
    digest: str


@dataclass(frozen=True, slots=True)
class Captions:
    """Paragraphs that describe pictures, by their digest, and the reasons why others have none."""

    texts: Mapping[str, str]
    failures: Mapping[str, UnreadableDocument]


class Captioner(Protocol):
    """Writes captions of pictures."""

    def describe(self, pictures: Sequence[Picture], document_id: str) -> Captions:
        """Return captions of the pictures of a document, in order; blocks until all are written.

        Pictures that are only decoration, and those beyond the limit for a document, have none.

        Raises
        ------
        ModelUnavailable
            The model cannot be used. The captions written until then are cached.
        """
        ...


class ModelCaptioner:
    """A Captioner with a vision model, which describes at most ``most`` pictures of each document."""

    def __init__(self, reader: ImageReader, most: int) -> None:
        self._reader = reader
        self._most = most

    def describe(self, pictures: Sequence[Picture], document_id: str) -> Captions:
        distinct = _distinct(pictures, self._most)
        keys = {name: caption_key(self._reader.engine.name, name) for name in distinct}
        read = self._reader.read({keys[name]: picture.image for name, picture in distinct.items()}, document_id)
        results = {name: read[key] for name, key in keys.items() if key in read}
        return Captions(
            _numbered({name: text for name, text in results.items() if isinstance(text, str)}, list(distinct)),
            {name: problem for name, problem in results.items() if not isinstance(problem, str)},
        )


class CountingCaptioner:
    """A Captioner for estimates: returns cached captions, and counts the other pictures instead of describing them.

    Attributes
    ----------
    pictures
        Number of pictures without a cached caption.
    """

    def __init__(self, model: str, cache: PageCache, most: int) -> None:
        self.pictures = 0
        self._model = model
        self._cache = cache
        self._most = most

    def describe(self, pictures: Sequence[Picture], document_id: str) -> Captions:
        names = list(_distinct(pictures, self._most))
        keys = {name: caption_key(self._model, name) for name in names}
        known = self._cache.get(list(keys.values()))
        self.pictures += sum(key not in known for key in keys.values())
        return Captions(_numbered({name: known[key] for name, key in keys.items() if key in known}, names), {})


@dataclass(frozen=True, slots=True)
class NamedCaptions:
    """Captions by the name of the picture, and the problem of those that could not be written, if any."""

    texts: Mapping[str, str]
    problems: Sequence[UnreadableDocument] = ()


def captions_by_name(pictures: Mapping[str, Picture], captioner: Captioner | None, document_id: str) -> NamedCaptions:
    """Return captions of pictures by their name in the document; a picture that recurs has one under its first name.

    Raises
    ------
    ModelUnavailable
        The model cannot be used.
    """
    if captioner is None or not pictures:
        return NamedCaptions({})
    captions = captioner.describe(list(pictures.values()), document_id)
    first_name = {picture.digest: name for name, picture in reversed(list(pictures.items()))}
    texts = {first_name[name]: text for name, text in captions.texts.items()}
    return NamedCaptions(texts, [missing_captions(captions.failures)] if captions.failures else [])


def caption_key(model: str, picture_digest: str) -> str:
    """Return the key under which the caption of a picture is cached."""
    return digest("caption", model, picture_digest)


def picture_of_file(content: bytes) -> Picture | None:
    """Return the picture in a file; None if it is too small, or in a format that is not read."""
    from PIL import Image

    try:
        with Image.open(BytesIO(content), formats=PICTURE_FORMATS) as opened:
            size = opened.size
    except Exception:
        # The bytes are untrusted, and Pillow raises errors of many types.
        return None
    return Picture(PageImage(content), file_digest(content)) if min(size) >= MIN_PIXELS else None


def missing_captions(failures: Mapping[str, UnreadableDocument]) -> UnreadableDocument:
    """Return the error for a document of which pictures have no caption.

    >>> missing_captions({"a1": UnreadableDocument("it cannot be rendered", "")}).what
    '1 of its pictures has no caption (it cannot be rendered)'
    """
    reason = next(iter(failures.values()))
    number = len(failures)
    what = f"{number:,} of its pictures {'has' if number == 1 else 'have'} no caption ({reason.what})"
    return UnreadableDocument(what, reason.next_step)


def _distinct(pictures: Sequence[Picture], most: int) -> dict[str, Picture]:
    """Return the first pictures by digest, each once."""
    distinct = {picture.digest: picture for picture in reversed(pictures)}
    in_order = dict.fromkeys(picture.digest for picture in pictures)
    return {name: distinct[name] for name in list(in_order)[:most]}


def _numbered(texts: Mapping[str, str], order: Sequence[str]) -> dict[str, str]:
    """Return captions as paragraphs that begin with the number of their picture in the document."""
    return {
        name: f"Picture {number}: {shorten(texts[name], _MAX_CHARACTERS, placeholder=' …')}"
        for number, name in enumerate(order, start=1)
        if texts.get(name)
    }
