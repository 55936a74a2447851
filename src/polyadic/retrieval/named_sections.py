"""Find the passages of the sections that a question names by number ("§ 823", "section 4.2")."""

from collections.abc import Sequence

import numpy as np

from polyadic.model.types import Heading
from polyadic.storage.incidence import distinct
from polyadic.storage.protocol import Reader, Rows
from polyadic.text.section_references import SectionReference, section_references

# A low number is in many passages, and its section need not be the one with the most weight on it.
_PASSAGES_SEARCHED = 1000
_MOST_PASSAGES = 12
# A section goes on in this many passages after that with its number.
_FOLLOWING = 3


def passages_of_named_sections(question: str, lexical: Rows, reader: Reader) -> Rows:
    """Return the passages of the sections that a question names by number; at most a dozen.

    Parameters
    ----------
    question
        The question.
    lexical
        The best passages by BM25 for the whole question.
    reader
        The store.
    """
    references = section_references(question)
    if not references:
        return np.zeros(0, dtype=np.int64)
    numbers = " ".join(reference.number for reference in references)
    # The best for the whole question first: in another document, the number is of another section.
    found = reader.search(numbers, _PASSAGES_SEARCHED).rows
    rows = np.concatenate([lexical, found[~np.isin(found, lexical)]])
    named = _of_sections(rows, references, reader)[:_MOST_PASSAGES]
    documents = {place.document_id for place in reader.chunk_places(named)}
    following = [_of_sections(_following(named, reader.chunks_in(one)), references, reader) for one in documents]
    # The passages with the number itself go first, where there are too many.
    return distinct(np.concatenate([named, *(rows[~np.isin(rows, named)] for rows in following)])[:_MOST_PASSAGES])


def _of_sections(rows: Rows, references: Sequence[SectionReference], reader: Reader) -> Rows:
    """Return those passages that lie in one of the sections."""
    places = reader.chunk_places(rows)
    headings = reader.records.headings([place.chunk_id for place in places])
    return rows[np.array([_is_in_one(one.quote, headings[one.chunk_id], references) for one in places], dtype=np.bool_)]


def _is_in_one(text: str, headings: Sequence[Heading], references: Sequence[SectionReference]) -> bool:
    return any(
        any(reference.is_named_by(heading.words) for heading in headings)
        or any(reference.opens(line.lstrip()) for line in text.splitlines())
        for reference in references
    )


def _following(named: Rows, document: Rows) -> Rows:
    """Return the next passages of a document, given in order, after each of those named."""
    places = np.flatnonzero(np.isin(document, named))
    after = np.unique(places[:, None] + np.arange(1, _FOLLOWING + 1))
    return document[after[after < len(document)]]
