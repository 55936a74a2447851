"""Find the passages of the sections that a question names by number ("§ 823", "section 4.2")."""

import numpy as np

from polyadic.storage.protocol import Reader, Rows
from polyadic.storage.row_sets import distinct
from polyadic.text.section_references import section_references

# A low number is in many passages, and its section need not be the one with the most weight on it.
_PASSAGES_SEARCHED = 1000


def passages_of_named_sections(question: str, lexical: Rows, reader: Reader) -> Rows:
    """Return the passages, among those that contain the number, that lie in a section that the question names.

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
    rows = distinct(lexical, reader.search(numbers, _PASSAGES_SEARCHED).rows)
    ids = [chunk.id for chunk in reader.chunks(rows)]
    headings = reader.headings(ids)
    named = [
        any(reference.is_named_by(heading.words) for reference in references for heading in headings[chunk_id])
        for chunk_id in ids
    ]
    return rows[np.array(named, dtype=np.bool_)]
