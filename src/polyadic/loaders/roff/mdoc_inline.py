"""Write a line of mdoc(7) macros as text: ``Fl v Op Ar file`` is "-v [file]"."""

from collections.abc import Sequence

from polyadic.text.stopwords import words

_ENCLOSED = {
    "Op": "[]", "Bq": "[]", "Pq": "()", "Dq": "“”", "Qq": '""', "Sq": "‘’", "Ql": "‘’", "Aq": "<>", "Brq": "{}",
}  # fmt: skip
_OPENING = {"Oo": "[", "Bo": "[", "Po": "(", "Do": "“", "Qo": '"', "So": "‘", "Ao": "<", "Bro": "{"}
_CLOSING = {"Oc": "]", "Bc": "]", "Pc": ")", "Dc": "”", "Qc": '"', "Sc": "’", "Ac": ">", "Brc": "}"}
# What stands for a macro without arguments.
_ALONE = {
    "Fl": "-", "Ar": "file ...", "Bx": "BSD", "Nx": "NetBSD", "Fx": "FreeBSD", "Ox": "OpenBSD", "Dx": "DragonFly",
    "Ux": "UNIX", "At": "AT&T UNIX",
}  # fmt: skip
_MARKED = _ALONE.keys() | words(
    "Ad An Ap Bsx Cd Cm Dv Em Er Ev Fa Fn Ft Ic In Li Lk Ms Mt Nm No Ns Pa Pf St Sx Sy Tn Va Vt Xr"
)
MACROS = _MARKED | _ENCLOSED.keys() | _OPENING.keys() | _CLOSING.keys()
_NO_SPACE_BEFORE, _NO_SPACE_AFTER = frozenset(".,:;)]?!"), frozenset("([")


def inline_text(line: Sequence[str], name: str) -> str:
    """Return the text of macros with their arguments.

    Parameters
    ----------
    line
        The macros and their arguments.
    name
        Name of the page, for which ``Nm`` alone stands.

    >>> inline_text("Nm Op Fl v Ar file ... .".split(), "cat"), inline_text("Xr ls 1 ,".split(), "cat")
    ('cat [-v file ...].', 'ls(1),')
    """
    end = len(line)
    while end and line[end - 1] in _NO_SPACE_BEFORE:
        end -= 1
    return _Text(line[:end], name).written() + "".join(line[end:])


class _Text:
    """Joins words with spaces, except where a macro or a punctuation mark joins them."""

    def __init__(self, line: Sequence[str], name: str) -> None:
        self._left = list(reversed(line))
        self._alone = {**_ALONE, "Nm": name}
        self._parts: list[str] = []
        self._closing: list[str] = []
        self._joins, self._macro = True, ""

    def written(self) -> str:
        while self._left:
            word = self._left.pop()
            if word in MACROS:
                self._take_macro(word)
            elif word in _NO_SPACE_BEFORE:
                self._put(word, joined=True)
            else:
                self._put(f"-{word}" if self._macro == "Fl" and word != "|" else word)
                self._joins = word in _NO_SPACE_AFTER or self._macro == "Pf"
        return "".join([*self._parts, *reversed(self._closing)])

    def _take_macro(self, macro: str) -> None:
        self._macro = macro
        has_arguments = bool(self._left) and self._left[-1] not in MACROS
        if macro in _ENCLOSED or macro in _OPENING:
            enclosing = _ENCLOSED.get(macro) or _OPENING[macro]
            self._put(enclosing[0])
            self._closing += enclosing[1:]
            self._joins = True
        elif macro in _CLOSING:
            self._put(_CLOSING[macro], joined=True)
        elif macro == "Ap":
            self._put("'", joined=True)
            self._joins = True
        elif macro == "Ns":
            self._joins = True
        elif macro == "Xr" and has_arguments:
            page = self._left.pop()
            has_section = bool(self._left) and self._left[-1][:1].isdigit()
            self._put(f"{page}({self._left.pop()})" if has_section else page)
        elif macro in self._alone and not has_arguments:
            self._put(self._alone[macro])

    def _put(self, text: str, joined: bool = False) -> None:
        if self._parts and not (self._joins or joined):
            self._parts.append(" ")
        self._parts.append(text)
        self._joins = False
