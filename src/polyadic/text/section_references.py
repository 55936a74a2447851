"""References to numbered sections ("§ 823 Abs. 1", "section 4.2", "3.20.0"), and the headings that they name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from polyadic.model.types import Span

_KINDS = {
    "section": r"§{1,2}|sec(?:tions?|\.)|paragraphe?n?|clauses?|klauseln?|ziffern?|cl[aá]usula|secci[oó]n|párrafo"
    r"|sezione|seção",
    "article": r"art(?:icles?|\.)|artikel|art[ií]culo|artigo|articolo",
    "chapter": r"ch(?:apters?|ap\.|\.)|kapitel|chapitre|cap[ií]tulo|capitolo|hoofdstuk",
    "part": r"part|teil|partie|parte|deel",
    "division": r"abschnitt|division",
    "book": r"book|buch|livre|libro|boek",
    "rule": r"rules?|regel|règle|regla",
    "appendix": r"appendix|annexe?|anhang|anlage|anexo|apéndice|bijlage",
}
_WORDS = {kind: re.compile(words, re.IGNORECASE) for kind, words in _KINDS.items()}
_REFERENCE = re.compile(
    rf"(?<!\w)(?:(?P<label>(?i:{'|'.join(_KINDS.values())}))\s*)"
    r"(?P<number>\d{1,5}[a-z]?(?:\.\d{1,4}){0,5}|[A-Z](?:\.\d{1,4}){0,5}|[IVXLC]{2,8})(?!\w|\.\d)"
    r"|第\s*(?P<cjk>[\d一二三四五六七八九十百千零〇]{1,8}\s*[编編篇章节節条條])"
    # The number of a section or of a release.
    r"|(?<![\w.])v?(?P<bare>\d{1,4}(?:\.\d{1,5}){1,5})(?!\w|\.\d)"
)
_SUBSECTION = re.compile(
    r",?\s*(?:\((?P<marked>\d{1,2}|[a-z])\)"
    r"|(?i:abs(?:atz|\.)|para(?:graph|\.)|subsection|apartado|alinéa)\s*\(?(?P<named>\d{1,2})\)?)(?!\w)"
)
_BARE_HEADING = re.compile(r"\W{0,2}v?(?P<number>\d{1,5}(?:\.\d{1,5}){0,5}|[A-Z](?:\.\d{1,4}){1,5})(?!\w|\.\d)")
# "3.2 Repairs": a number of several parts, and words.
_NUMBERED_PARAGRAPH = re.compile(r"\W{0,2}(?P<number>\d{1,3}(?:\.\d{1,3}){1,5})\.?\s+(?=[\"'“„«(]?[^\W\d_])")
_LONGEST_LEAD, _LONGEST_OPENING = 3, 30


@dataclass(frozen=True, slots=True)
class SectionReference:
    """A reference to a section by its number.

    ``kind`` is "section" (also for "§" and a clause), "article", "chapter", "part", "division", "book", "rule",
    "appendix" or a Chinese or Japanese character; empty for a bare number. ``subsection`` is the number of a paragraph
    of the section; empty if none is named.
    """

    kind: str
    number: str
    subsection: str = ""

    def is_named_by(self, heading: str) -> bool:
        """Return whether a heading has this number.

        >>> section = SectionReference("section", "823")
        >>> [section.is_named_by(words) for words in ("§ 823 Damages", "823. Damages", "§ 823a Costs", "Article 823")]
        [True, True, False, False]
        >>> release = SectionReference("", "3.1")
        >>> [release.is_named_by(words) for words in ("[3.1] - 2022-05-25", "rsync (3.1) unstable", "3.1.2 Fixes")]
        [True, True, False]
        """
        if not self.kind:
            return any(match["bare"] == self.number for match in _REFERENCE.finditer(heading))
        first = opening_reference(heading)
        if first is not None:
            return self._is_same(first)
        bare = _BARE_HEADING.match(heading)
        return bare is not None and bare["number"] == self.number

    def opens(self, text: str) -> bool:
        """Return whether a paragraph begins with this number, or with that of a part of this section.

        Laws and contracts often have sections without headings.

        >>> SectionReference("article", "24").opens("Article 24. Everyone has the right to rest.")
        True
        >>> clause = SectionReference("section", "3.2")
        >>> [clause.opens(text) for text in ("3.2 Repairs need consent.", "3.2.1 Costs are shared.", "3.21 Ropes")]
        [True, True, False]
        >>> SectionReference("section", "7").opens("7. This is an item of a list.")
        False
        """
        first = opening_reference(text)
        if first is None:
            return False
        return self._is_same(first) or (not first.kind and first.number.startswith(f"{self.number}."))

    def _is_same(self, opening: "SectionReference") -> bool:
        """Return whether a heading or paragraph that begins so has this number; it need not repeat the kind."""
        return opening.number == self.number and opening.kind in ("", self.kind)


def opening_reference(text: str) -> SectionReference | None:
    """Return the number with which a section begins: with a kind, or of several parts ("3.2"); None without one."""
    if numbered := _NUMBERED_PARAGRAPH.match(text):
        return SectionReference("", numbered["number"])
    match = _REFERENCE.search(text, 0, _LONGEST_OPENING)
    is_opening = match is not None and match.start() <= _LONGEST_LEAD and not match["bare"]
    return _reference(match) if match and is_opening else None


def section_references(text: str) -> list[SectionReference]:
    """Return the sections to which a text refers by number, in order.

    >>> section_references("Was steht in § 823 Abs. 1 BGB?")
    [SectionReference(kind='section', number='823', subsection='1')]
    >>> [(one.kind, one.number) for one in section_references("Do Article 6 and section 4.2 differ from 3.1?")]
    [('article', '6'), ('section', '4.2'), ('', '3.1')]
    """
    return [reference for reference, _ in _found(text)]


def without_section_references(text: str) -> str:
    """Remove the references to sections from a text.

    >>> without_section_references("Was steht in § 823 Abs. 1 BGB?")
    'Was steht in  BGB?'
    """
    kept: list[str] = []
    end = 0
    for _, span in _found(text):
        kept.append(text[end : span.start])
        end = span.end
    return "".join([*kept, text[end:]])


def _found(text: str) -> Iterator[tuple[SectionReference, Span]]:
    """Yield the references of a text, each with its characters, the subsection included."""
    end = 0
    while match := _REFERENCE.search(text, end):
        subsection = _SUBSECTION.match(text, match.end())
        end = subsection.end() if subsection else match.end()
        yield _reference(match), Span(match.start(), end)


def _reference(match: re.Match[str]) -> SectionReference:
    if match["bare"]:
        return SectionReference("", match["bare"])
    if match["cjk"]:
        return SectionReference(match["cjk"][-1], match["cjk"][:-1].strip())
    kind = next(kind for kind, words in _WORDS.items() if words.fullmatch(match["label"]))
    subsection = _SUBSECTION.match(match.string, match.end())
    return SectionReference(kind, match["number"], (subsection["marked"] or subsection["named"]) if subsection else "")
