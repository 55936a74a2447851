"""What surrounds the content of a page: menus, banners, adverts, notices of cookies, footers.

Elements are known by their role, their name and the words of their ``class`` and ``id``; what they hold then decides.
A "sidebar" may be a menu or a remark of the author: only that which is mostly links is left out.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from polyadic.text.stopwords import words


class BoilerplateKind(Enum):
    """When an element is left out."""

    SHORT = "unless it says a lot"
    LINKS = "if it is mostly links"
    LINKS_WITHIN = "if it is mostly links to the page itself"
    CONTENTS = "if it is nothing but links to the page itself"
    NAVIGATION = "if it is mostly links, or has hardly any other text"
    HEADER = "if it has hardly any text but links, and is mostly these or has no heading"
    FOOTER = "if it has little text but links, and no heading"
    BAR = "if it is a row of links, or leads to the page in other languages"


CONTENT = frozenset({"main", "article"})
"""Elements (and roles) within which headers, footers and asides belong to the content."""

_ROLES = {
    **dict.fromkeys(("banner", "contentinfo", "search", "menu", "menubar", "toolbar"), BoilerplateKind.SHORT),
    "complementary": BoilerplateKind.LINKS,
    "doc-toc": BoilerplateKind.LINKS_WITHIN,
}
_ELEMENTS = {"footer": BoilerplateKind.SHORT, "header": BoilerplateKind.HEADER, "aside": BoilerplateKind.LINKS}
_LISTS = ("ul", "ol")
_CONTAINERS = words("div section aside header footer ul ol form table p")
# Names are made of words: "cookie-banner", "navFooter". An identifier alone may be that of a section about cookies.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ADVERTS = words("ad ads advert adverts advertisement advertisements adsbygoogle sponsored")
_NOTICES = re.compile(
    r"(?:cookie|consent|gdpr|ccpa|newsletter|subscri\w{2,6}|sign-?up|paywall)[\w-]{0,20}?"
    r"(?:banner|bar|notice|consent|popup|modal|overlay|dialog|message|law|warning|alert|disclaimer|box|hint|form|cta)"
    r"|\b(?:onetrust|cookiebot|usercentrics|didomi|qc-cmp|navheader|navfooter|nosearch|noindex)\b",
    re.IGNORECASE,
)
_MENUS = words(
    """
    menu submenu mainmenu breadcrumb breadcrumbs sidebar pagination pager pagenav share sharing
    social related recommended footer header masthead topbar toolbar sitemap relbar sphinxsidebar quicklinks
    """
)
# Such a name alone: "article-header" is part of an article.
_EDGE = re.compile(
    r"(?:^|\s)(?:(?:page|site|main|doc|global|web)[-_]?)?(?:(header|masthead)|footer)(?:$|\s)", re.IGNORECASE
)
_BARS = ("div", "p")
_BETWEEN_LINKS = re.compile(r"\s*(?:[>»›→|·•/]|::)\s*")
_FEWEST_LINKS = 2
_CONTENTS = words("toc tableofcontents contents")
_SKIP = re.compile(r"(?:^|[\s_-])skip(?:$|[\s_-])", re.IGNORECASE)
_LONGEST_NAMES = 300

# Of what is left out unless it says a lot, and of what has text of its own: characters that are not in links.
_A_LOT, _LITTLE, _TEXT_OF_ITS_OWN = 1_500, 400, 120
_MOSTLY, _NEARLY_ALL = 0.6, 0.95


@dataclass(frozen=True, slots=True)
class ElementStats:
    """What an element holds.

    Characters, those in links, those in links to the page itself; how many blocks of code, headings, and links to the
    page in other languages.
    """

    characters: int = 0
    linked: int = 0
    linked_within: int = 0
    code: int = 0
    headings: int = 0
    languages: int = 0

    def __sub__(self, other: "ElementStats") -> "ElementStats":
        return ElementStats(
            self.characters - other.characters,
            self.linked - other.linked,
            self.linked_within - other.linked_within,
            self.code - other.code,
            self.headings - other.headings,
            self.languages - other.languages,
        )


def furniture(tag: str, attributes: Mapping[str, str], in_content: bool, in_cell: bool) -> BoilerplateKind | None:
    """When to leave out an element; None for one that belongs to the content, whatever it holds.

    Parameters
    ----------
    tag, attributes
        The element.
    in_content
        Whether it is within the main content of the page, where headers and footers are those of an article.
    in_cell
        Whether it is within a cell of a table or an item of a list, whose links are what that holds.
    """
    if tag not in _CONTAINERS:
        return None
    role = _ROLES.get(attributes.get("role", "").strip().lower())
    if role is not None:
        return role
    if tag in _ELEMENTS and not in_content:
        return _ELEMENTS[tag]
    classes, identifier = (attributes.get(name, "")[:_LONGEST_NAMES] for name in ("class", "id"))
    if _NOTICES.search(f"{classes} {identifier}") or _said(classes) & _ADVERTS:
        return BoilerplateKind.SHORT
    edge = _EDGE.search(classes) or _EDGE.search(identifier)
    if edge and not in_content:
        return BoilerplateKind.HEADER if edge.group(1) else BoilerplateKind.FOOTER
    said = _said(f"{classes} {identifier}")
    if said & _CONTENTS:
        return BoilerplateKind.LINKS_WITHIN
    if any(word.startswith("nav") or word.endswith("nav") for word in said):
        return BoilerplateKind.NAVIGATION
    if said & _MENUS:
        return BoilerplateKind.LINKS
    if in_cell:
        return None
    return BoilerplateKind.CONTENTS if tag in _LISTS else BoilerplateKind.BAR if tag in _BARS else None


def _said(names: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(names)}


def skips(attributes: Mapping[str, str]) -> bool:
    """Whether a link leads past the menu: "Skip to content"."""
    return bool(_SKIP.search(attributes.get("class", "")[:_LONGEST_NAMES]))


def is_left_out(kind: BoilerplateKind, held: ElementStats, blocks: Sequence[str]) -> bool:
    """Whether to leave out an element of this kind that holds so much, as these blocks of text."""
    if held.code:
        return False
    own = held.characters - held.linked
    if kind is BoilerplateKind.BAR:
        return len(blocks) == 1 and _is_bar(blocks[0], held)
    if kind is BoilerplateKind.FOOTER:
        return own <= _LITTLE and not held.headings
    if kind is BoilerplateKind.SHORT:
        return own <= _A_LOT
    if kind is BoilerplateKind.LINKS_WITHIN:
        return held.linked_within >= _MOSTLY * held.characters
    if kind is BoilerplateKind.CONTENTS:
        return held.characters > 0 and held.linked_within >= _NEARLY_ALL * held.characters
    has_little, is_linked = own <= _TEXT_OF_ITS_OWN, held.linked >= _MOSTLY * held.characters
    if kind is BoilerplateKind.NAVIGATION:
        return has_little or is_linked
    if kind is BoilerplateKind.HEADER:
        return has_little and (held.linked > own or not held.headings)
    return is_linked


def _is_bar(text: str, held: ElementStats) -> bool:
    """Whether a block is nothing but links with signs between them, or leads to the page in other languages."""
    own = held.characters - held.linked
    if held.languages >= _FEWEST_LINKS and own <= _TEXT_OF_ITS_OWN:
        return True
    links = len(_BETWEEN_LINKS.split(text))
    return links >= _FEWEST_LINKS and held.linked > 0 and own < links + 1
