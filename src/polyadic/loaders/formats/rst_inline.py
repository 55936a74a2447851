"""Convert the inline markup of reStructuredText: roles, literals, references and substitutions.

Code becomes inline code of Markdown. In other text of a role or reference, such as a title, a no-break space follows
each full stop, so that no sentence ends there.
"""

import re

from polyadic.text.stopwords import words

# A literal, a role before or behind its text (":ref:`lists <x>`", "`run`:func:"), or a reference ("`pip <...>`_").
_INLINE = re.compile(
    r"(?<!`)``(?P<literal>[^`\s](?:[^`]{0,500}[^`\s])?)``(?!`)"
    r"|:(?P<role>[\w.+:-]{1,60}):`(?P<text>[^`]{1,1000})`"
    r"|(?<![\w`])`(?P<before>[^`\s][^`]{0,500})`:(?P<behind>[A-Za-z][\w.+-]{0,30}(?::[\w.+-]{1,30})?):(?![\w`])"
    r"|`(?P<reference>[^`<]{1,500}?)\s*(?:<[^<>`]{0,500}>)?`_{1,2}"
)
_SPANNING = re.compile(
    r"(?<!`)``[^`\s](?:[^`]{0,500}[^`\s])?``(?!`)|:[\w.+:-]{1,60}:`[^`]{1,1000}`|(?<![\w`])`[^`\s][^`]{0,500}`_"
)
_LINE_BREAK = re.compile(r"[ \t]*\n[ \t]*(?=\S)")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
# "see pip_ and `the list`_"
_SIMPLE_REFERENCE = re.compile(r"(?<![\w`:/.-])([^\W_](?:[\w-]*[^\W_])?)_{1,2}(?=[\s.,;:!?)'\"\]]|$)")
_TITLE_AND_TARGET = re.compile(r"[!~]?(.+?)\s*<[^<>]{1,500}>", re.DOTALL)
_SUBSTITUTION = re.compile(r"\|([\w .-]{1,60})\|_{0,2}")
_FOOTNOTE_MARK = re.compile(r" ?\[#?[\w*-]{0,40}\]_")
_ESCAPE = re.compile(r"\\([^\w\s])|\\ ")
_SPACE_AFTER_STOP = re.compile(r"(?<=[.!?…])\s+(?=\S)")

_CODE_ROLES = words(
    """
    any attr attribute class code concept const data enum enumerator exc exception expr file func function literal
    macro member meth method mod module obj option property samp struct texpr type union var
    """
)
_NUMBERED = {"rfc": "RFC ", "pep": "PEP ", "cve": "CVE-", "cwe": "CWE-"}


def unwrapped(text: str) -> str:
    """Join the lines of each role and reference, which may otherwise lie in different parts of a list item.

    >>> unwrapped("- See :ref:`the\\n  list <x>` first.")
    '- See :ref:`the list <x>` first.'
    """
    return _SPANNING.sub(lambda found: found[0] if _BLANK_LINE.search(found[0]) else _on_one_line(found[0]), text)


def _on_one_line(text: str) -> str:
    return _LINE_BREAK.sub(" ", text)


def inline_text(text: str) -> str:
    """Remove the markup of roles, references and substitutions from text.

    >>> inline_text("See :ref:`lists <x>` of pip_, :class:`~relay.Pool` and ``a. B`` (`run`:func:, :rfc:`2822#x`).")
    'See lists of pip, `relay.Pool` and `a. B` (`run`, RFC 2822).'
    >>> inline_text(":title:`Relays. A History`")
    'Relays.\\xa0A History'
    """
    if "`" in text:
        text = _INLINE.sub(_converted, text)
    if "_" in text:
        # Not within code, which every second part is.
        parts = text.split("`")
        parts[::2] = [_SIMPLE_REFERENCE.sub(r"\1", part) for part in parts[::2]]
        text = "`".join(parts)
    if "|" in text:
        text = _SUBSTITUTION.sub(r"\1", text)
    text = _FOOTNOTE_MARK.sub("", text)
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def _converted(found: re.Match[str]) -> str:
    if found["literal"] is not None:
        return f"`{found['literal']}`"
    if found["reference"] is not None:
        return _unbroken(found["reference"])
    return _role(found["role"] or found["behind"], found["text"] or found["before"])


def _role(role: str, content: str) -> str:
    """Return what is shown for a role: its title, else the name, code or number that it refers to."""
    name = role.rpartition(":")[2].lower()
    if titled := _TITLE_AND_TARGET.fullmatch(content):
        return _unbroken(titled[1].strip())
    shown = content.lstrip("!~").strip()
    if name in _CODE_ROLES and shown:
        return f"`{shown}`"
    return _NUMBERED[name] + shown.partition("#")[0] if name in _NUMBERED else _unbroken(shown)


def _unbroken(text: str) -> str:
    return _SPACE_AFTER_STOP.sub("\xa0", text)
