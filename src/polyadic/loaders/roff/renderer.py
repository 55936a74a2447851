"""Render manual pages in roff source as ``man`` prints them, without breaking lines."""

import re
from collections.abc import Callable, Iterator, Sequence

from polyadic.loaders.roff.escapes import arguments, unescaped, without_comment
from polyadic.loaders.roff.mdoc_inline import MACROS, inline_text

_MARGIN, _STEP = 7, 7
# Of names and strings that a page defines and may repeat without end.
_LONGEST_NAME, _WIDEST_MARGIN = 50, 70
_TITLE_REQUEST = re.compile(r"[.'][ \t]*(?:TH|Dd)[ \t]")
_REQUEST = re.compile(r"[.'][ \t]*([^\s\\]*)[ \t]*(.*)")
# Lines to look at for the request that begins a manual page; comments with licences stand before it.
_BEGINNING = 200
_FONTS = frozenset({"B", "I", "SM", "SB", "R"})
_ALTERNATING = frozenset({"BI", "BR", "IB", "IR", "RB", "RI"})
_BULLETS = frozenset("•·o*-–—+")
_SPACES = re.compile(" {2,}")
# Conditions within conditions; deeper ones are left out.
_DEEPEST = 20
_CONDITION = re.compile(r"(!?)([nt])\b[ \t]*(.*)")


def rendered_manual_page(text: str) -> str | None:
    r"""Render a manual page; None if a text is none.

    The page begins with a line "NAME(section) ... NAME(section)". Sections begin in the first column, and the
    description of an option is indented below it. Macros that the page defines itself, and drawings, are left out.

    >>> page = rendered_manual_page(".TH CP 1\n.SH OPTIONS\n.TP\n.B \\-f\nForce\nit.\n")
    >>> page.rstrip().split("\n")
    ['CP(1)      CP(1)', 'OPTIONS', '', '       -f', '              Force it.']
    """
    is_page = _is_manual_page(text.split("\n", _BEGINNING)[:_BEGINNING])
    return _Renderer().rendered(text.split("\n")) if is_page else None


def _is_manual_page(lines: Sequence[str]) -> bool:
    """Return whether the title request stands before any text, except that of macros which are defined there."""
    source = iter(lines)
    for line in source:
        if _TITLE_REQUEST.match(line):
            return True
        if line.startswith(".de"):
            next((end for end in source if end.startswith("..")), None)
        if without_comment(line).strip() and line[0] not in ".'":
            return False
    return False


class _Renderer:
    """Collects the lines of a page."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._words: list[str] = []
        self._strings: dict[str, str] = {}
        self._margin, self._indent = _MARGIN, 0
        self._outer: list[tuple[int, int]] = []
        self._fills, self._tag_follows, self._heading_follows = True, False, ""
        self._name, self._section, self._described, self._lists = "", "", "", list[str]()
        self._otherwise, self._depth = False, 0
        self._handlers: dict[str, Callable[[list[str]], None]] = {
            "TH": self._title, "SH": self._begin_section, "SS": self._begin_subsection, "PP": self._paragraph,
            "P": self._paragraph, "LP": self._paragraph, "HP": self._paragraph, "Pp": self._paragraph,
            "TP": self._tagged, "TQ": self._further_tag, "IP": self._indented, "RS": self._begin_inset,
            "RE": self._end_inset, "nf": self._keep_lines, "EX": self._keep_lines, "Vb": self._keep_lines,
            "fi": self._fill_lines, "EE": self._fill_lines, "Ve": self._fill_lines, "Ed": self._fill_lines,
            "br": self._break, "YS": self._break, "sp": self._space, "Sp": self._space, "UR": self._address,
            "MT": self._address, "OP": self._option, "SY": self._command, "Dt": self._title,
            "Sh": self._begin_section, "Ss": self._begin_subsection, "Nd": self._description,
            "Bl": self._begin_list, "It": self._list_item, "El": self._end_list, "Bd": self._begin_display,
            "Dl": self._line_of_text, "D1": self._line_of_text,
        }  # fmt: skip

    def rendered(self, lines: Sequence[str]) -> str:
        source = iter(lines)
        for line in source:
            self._line(line.rstrip("\r"), source)
        self._end_paragraph()
        header = f"{'_'.join(self._name.split())}({self._section})"
        return "\n".join([f"{header}      {header}", *self._lines, ""])

    def _line(self, line: str, source: Iterator[str]) -> None:
        line = without_comment(line)
        request = _REQUEST.match(line) if line[:1] in {".", "'"} else None
        if request is None:
            self._text(unescaped(line, self._strings), line)
        elif request[1]:
            self._request(request[1], request[2], source)

    def _text(self, text: str, line: str) -> None:
        """Add text to the paragraph, or as the heading or tag that a request announced."""
        if self._heading_follows:
            self._heading(text)
        elif not text.strip():
            if line == "":
                self._end_paragraph()
                self._blank()
        elif self._tag_follows:
            self._tag(text.strip())
        elif not self._fills:
            self._put(text.expandtabs(8))
        else:
            if text[0] in " \t":
                self._end_paragraph()
            self._words.append(_SPACES.sub(" ", text.strip()))

    def _request(self, name: str, rest: str, source: Iterator[str]) -> None:
        if name in {"if", "ie", "el", "while"}:
            self._conditional(name, rest, source)
        elif name in {"de", "de1", "am", "ig"}:
            end = f".{(arguments(rest)[1:] or ['.'])[0]}" if name != "ig" else f".{rest.strip() or '.'}"
            next((line for line in source if line.replace(" ", "").startswith(end)), None)
        elif name in {"ds", "ds1"}:
            string, _, value = rest.partition(" ")
            self._strings[string] = unescaped(value.lstrip(' "'), self._strings)[:_LONGEST_NAME]
        elif name == "TS":
            self._table(source)
        elif name in {"EQ", "PS"}:
            next((line for line in source if line.startswith((".EN", ".PE"))), None)
        else:
            words = [unescaped(word, self._strings) for word in arguments(rest)]
            if name in _FONTS:
                self._text(" ".join(words), rest or " ")
            elif name in _ALTERNATING:
                self._text("".join(words), rest or " ")
            elif name in MACROS:
                if name == "Nm" and words:
                    self._described = self._described or words[0][:_LONGEST_NAME]
                self._text(self._inline([name, *words]), " ")
            elif name in self._handlers:
                self._handlers[name](words)

    def _conditional(self, name: str, rest: str, source: Iterator[str]) -> None:
        """Take what is for terminals ("n"); conditions on anything else do not hold."""
        holds, body = self._otherwise, rest
        if name != "el":
            condition = _CONDITION.match(rest)
            holds = condition is not None and (condition[2] == "n") != bool(condition[1])
            body = condition[3] if condition else rest
        if name == "ie":
            self._otherwise = not holds
        depth = body.count("\\{") - body.count("\\}")
        lines = [body.replace("\\{", "").replace("\\}", "").strip()]
        while depth > 0:
            line = next(source, None)
            if line is None:
                break
            depth += line.count("\\{") - line.count("\\}")
            lines.append(line.replace("\\{", "").replace("\\}", ""))
        if holds and self._depth < _DEEPEST:
            self._depth += 1
            inner = iter([line for line in lines if line.strip() not in {"", ".", "\\"}])
            for line in inner:
                self._line(line, inner)
            self._depth -= 1

    def _table(self, source: Iterator[str]) -> None:
        """Put the rows of a table into lines of their own; its layout ends with a full stop."""
        self._end_paragraph()
        self._blank()
        next((line for line in source if line.rstrip().endswith(".")), None)
        for line in source:
            if line.startswith(".TE"):
                break
            if line.startswith((".", "T}")) and not line.startswith("T}\t"):
                continue
            cells = [unescaped(cell, self._strings).strip() for cell in line.replace("T{", "").split("\t")]
            row = "   ".join(cell for cell in cells if cell.strip("_=-"))
            if row:
                self._put(row)
        self._blank()

    def _inline(self, words: Sequence[str]) -> str:
        return inline_text(words, self._described or self._name.lower())

    # Output

    def _put(self, text: str) -> None:
        self._lines.append(f"{' ' * (self._margin + self._indent)}{text}".rstrip())

    def _blank(self) -> None:
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def _end_paragraph(self) -> None:
        if self._words:
            self._put(" ".join(self._words))
            self._words.clear()

    def _heading(self, text: str) -> None:
        is_section = self._heading_follows == "SH"
        self._heading_follows = ""
        self._blank()
        self._lines += [f"{'' if is_section else '   '}{' '.join(text.split())}", ""]

    def _tag(self, tag: str) -> None:
        """Put a tag, with what follows indented below it; a bullet stands before it instead."""
        self._tag_follows = False
        if tag in _BULLETS or re.fullmatch(r"\(?\w{1,3}[.)]", tag):
            self._words.append(tag)
        else:
            self._indent = 0
            self._put(tag)
        self._indent = _STEP

    # Requests of man(7)

    def _title(self, words: list[str]) -> None:
        name, section = words[0] if words else "page", words[1] if len(words) > 1 else "1"
        self._name, self._section = name[:_LONGEST_NAME], section[:_LONGEST_NAME]

    def _begin_section(self, words: list[str]) -> None:
        self._begin_heading("SH", words)

    def _begin_subsection(self, words: list[str]) -> None:
        self._begin_heading("SS", words)

    def _begin_heading(self, kind: str, words: list[str]) -> None:
        self._end_paragraph()
        self._margin, self._indent, self._outer, self._lists = _MARGIN, 0, [], []
        self._fills, self._tag_follows, self._heading_follows = True, False, kind
        if words:
            self._heading(" ".join(words))

    def _paragraph(self, words: list[str]) -> None:
        self._end_paragraph()
        self._blank()
        if not self._lists:
            self._indent = 0

    def _break(self, words: list[str]) -> None:
        self._end_paragraph()

    def _space(self, words: list[str]) -> None:
        self._end_paragraph()
        self._blank()

    def _tagged(self, words: list[str]) -> None:
        self._paragraph([])
        self._indent, self._tag_follows = 0, True

    def _further_tag(self, words: list[str]) -> None:
        self._end_paragraph()
        self._indent, self._tag_follows = 0, True

    def _indented(self, words: list[str]) -> None:
        self._paragraph([])
        if words and words[0].strip():
            self._tag(words[0].strip())
        self._indent = _STEP

    def _begin_inset(self, words: list[str]) -> None:
        self._end_paragraph()
        self._outer.append((self._margin, self._indent))
        self._margin, self._indent = min(self._margin + max(self._indent, _STEP), _WIDEST_MARGIN), 0

    def _end_inset(self, words: list[str]) -> None:
        self._end_paragraph()
        if self._outer:
            self._margin, self._indent = self._outer.pop()

    def _keep_lines(self, words: list[str]) -> None:
        self._end_paragraph()
        self._fills = False

    def _fill_lines(self, words: list[str]) -> None:
        self._end_paragraph()
        self._fills = True

    def _address(self, words: list[str]) -> None:
        self._words += words[:1]

    def _option(self, words: list[str]) -> None:
        self._words.append(f"[{' '.join(words)}]")

    def _command(self, words: list[str]) -> None:
        self._paragraph([])
        self._words += words

    # Requests of mdoc(7)

    def _description(self, words: list[str]) -> None:
        self._words.append(f"– {self._inline(words)}")

    def _begin_list(self, words: list[str]) -> None:
        self._begin_inset([]) if self._lists else self._end_paragraph()
        self._lists.append(words[0] if words else "-item")

    def _list_item(self, words: list[str]) -> None:
        self._end_paragraph()
        self._blank()
        kind = self._lists[-1] if self._lists else "-item"
        self._indent = 0
        text = self._inline([word for word in words if word != "Ta"])
        if kind in {"-bullet", "-dash", "-hyphen", "-enum"}:
            self._words += ["•", *([text] if text else [])]
        elif kind == "-column":
            self._put(text)
        elif text:
            self._tag(text)

    def _end_list(self, words: list[str]) -> None:
        self._end_paragraph()
        self._blank()
        if self._lists:
            self._lists.pop()
        self._indent = 0
        if self._lists:
            self._end_inset([])

    def _begin_display(self, words: list[str]) -> None:
        self._end_paragraph()
        self._fills = "-literal" not in words and "-unfilled" not in words

    def _line_of_text(self, words: list[str]) -> None:
        self._end_paragraph()
        self._put(self._inline(words))
