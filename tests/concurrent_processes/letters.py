"""Documents in versions: whoever reads one can tell which version it is of, from any sentence of it.

The letters of the group are always changed together, in one transaction; the loose ones come and go one at a time. All
have as many facts and chunks as each other, so how many there are tells how many documents there are.
"""

from collections.abc import Iterable

from polyadic.config import ChunkingSettings, EmbeddingSettings, Settings
from polyadic.model.types import Document, SourceSpan, page_of

GROUP = tuple(f"letter:group/{number}" for number in range(6))
LOOSE = tuple(f"letter:loose/{number}" for number in range(3))
SENTENCES = 12
SETTINGS = Settings(
    embedding=EmbeddingSettings(model="hashing"), chunking=ChunkingSettings(tokens=60, overlap=0, language="en")
)
_PEOPLE = ("Mira Falk", "Jonas Brandt", "Ilse Orth", "Pavel Novak", "Clara Weiss")
_PLACES = ("Osk", "Lund", "Brno", "Graz", "Turin", "Basel", "Ghent")


def letter(source: str, version: int) -> Document:
    name = source.rsplit(":", 1)[1].replace("/", " ").title()
    said = [
        f"{_PEOPLE[n % 5]} wrote to {_PEOPLE[(n + 2) % 5]} from {_PLACES[n % 7]} about part {n} of {name}"
        f" in Version {version:06}."
        for n in range(SENTENCES)
    ]
    text = " ".join(said)
    # The second page begins elsewhere in every version.
    return Document(source, name, text, pages=(0, 1 + 397 * version % len(text)))


def version_in(text: str) -> int:
    """The one version that a text speaks of."""
    versions = {int(part[:6]) for part in text.split("Version ")[1:] if part[:6].isdigit()}
    assert len(versions) == 1, f"versions {sorted(versions)} in {text!r}"
    return versions.pop()


def checked(places: Iterable[SourceSpan]) -> set[int]:
    """The versions of the group that these places are of; each quotes what its document has there in that version."""
    versions = set()
    for place in places:
        version = version_in(place.quote)
        document = letter(place.source, version)
        at = place.span.start
        assert document.text[at : place.span.end] == place.quote, f"{place} is not what version {version} says"
        # What is changed while it is being quoted has no page any more.
        assert place.page in (page_of(document.pages, at), None), f"{place} is on another page of version {version}"
        versions |= {version} if place.source in GROUP else set()
    return versions
