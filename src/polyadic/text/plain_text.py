"""Convert Markdown to plain text with white space folded."""

import re

from polyadic.text.chat_messages import written_out

# Input is untrusted, so every pattern runs in linear time: no nested repeats.
_STRUCTURE = re.compile(r"\s*(?:(?:#{1,6}|>|[-*+•‣]|\(?\d{1,3}[.)])\s+)+")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\s+\"[^\"]*\")?\)|\[[^\[\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3}|~~)(?=\S)(.{1,400}?)(?<=\S)\1(?!\w)")
_CODE = re.compile(r"`+")
# Footnote marks: "[^1]" after a word, "²" after a sentence, and either before a note.
_NOTE_MARK = re.compile(r"(?<=[\w.,;:!?…)\"”»’*_])\[\^[\w.-]{1,40}\](?!\()|(?<=[.!?…\"”»])[¹²³⁰⁴-⁹]{1,3}$")
_NOTE_OPENING = re.compile(r"\s*(?:\[\^[\w.-]{1,40}\]:|[¹²³⁰⁴-⁹]{1,3})\s*")
_RULE = re.compile(r"^[\s|:=_~+*-]*$")
# A term and its definition, as in Markdown: "Term", then ": definition" on the next line.
_DEFINITION = re.compile(r"(?<=\w)[ \t]*\n[ \t]{0,3}:[ \t]+(?=\S)")
_SPACE = re.compile(r"\s+")


def plain(sentence: str) -> str:
    """Return the plain text of a sentence, heading, list item or table row; empty for a horizontal rule.

    >>> plain("- **Ada** met [Charles\\n Babbage](https://example.org/cb)."), plain("| Ada | 1815 |"), plain("|---|")
    ('Ada met Charles Babbage.', 'Ada; 1815', '')
    >>> plain("Ada lives in Ulm.[^1]"), plain("[^1]: See Roth."), plain("It counts.²"), plain("5 m²")
    ('Ada lives in Ulm.', 'See Roth.', 'It counts.', '5 m²')
    >>> plain("Alt text\\n: What the picture shows.")
    'Alt text: What the picture shows.'
    """
    if _RULE.match(sentence) or sentence.startswith(("```", "~~~")):
        return ""
    opening = _STRUCTURE.match(sentence)
    text = without_closing_marks(sentence[opening.end() :] if opening else sentence)
    if "[" in text:
        text = _IMAGE_OR_LINK.sub(r"\1", text)
    if "<" in text:
        text = _TAG.sub(" ", written_out(text))
    note = _NOTE_OPENING.match(text)
    text = _NOTE_MARK.sub("", text[note.end() :] if note else text)
    text = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text))
    text = _DEFINITION.sub(": ", _CODE.sub("", text))
    if sentence.startswith("|"):
        text = "; ".join(cell.strip() for cell in text.strip(" |").split("|"))
    return _SPACE.sub(" ", text).strip()


def without_closing_marks(heading: str) -> str:
    """Remove closing number signs from a heading.

    >>> without_closing_marks("On C# ##"), without_closing_marks("On C#")
    ('On C#', 'On C#')
    """
    words = heading.rstrip()
    bare = words.rstrip("#")
    return bare.rstrip() if bare != words and bare[-1:].isspace() else words
