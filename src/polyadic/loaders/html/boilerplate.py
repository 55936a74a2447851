"""Detect page boilerplate: menus, banners, adverts, cookie notices and footers.

Candidates are recognized by role, element name and the words in ``class`` and ``id``; their content then decides. A
"sidebar" may be a menu or a remark by the author: it is dropped only if it consists mostly of links.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from polyadic.text.stopwords import words


class BoilerplateKind(Enum):
    """The condition on which an element is dropped."""

    SHORT = "unless it has a lot of text"
    LINKS = "if it is mostly links"
    LINKS_WITHIN = "if it is mostly links to the page itself"
    CONTENTS = "if it is nothing but links to the page itself"
    NAVIGATION = "if it is mostly links, or has hardly any other text"
    HEADER = "if it has hardly any text but links, and is mostly these or has no heading"
    FOOTER = "if it has little text but links, and no heading"
    BAR = "if it is a row of links, or leads to the page in other languages"
    BANNER = "if it is a bar, or a cookie notice"
    ASIDE = "if it is mostly links, a cookie notice or an invitation to subscribe"


CONTENT = frozenset({"main", "article"})
"""Elements (and roles) within which headers, footers and asides are part of the content."""

_ROLES = {
    **dict.fromkeys(("banner", "contentinfo", "search", "menu", "menubar", "toolbar"), BoilerplateKind.SHORT),
    "complementary": BoilerplateKind.ASIDE,
    "doc-toc": BoilerplateKind.LINKS_WITHIN,
}
_ELEMENTS = {"footer": BoilerplateKind.SHORT, "header": BoilerplateKind.HEADER, "aside": BoilerplateKind.ASIDE}
_LISTS = ("ul", "ol")
_CONTAINERS = words("div section aside header footer ul ol form table p")
# Names consist of words: "cookie-banner", "navFooter". A single word like "cookie" may name a section about cookies.
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
# Matches whole names only: "article-header" is part of an article.
_EDGE = re.compile(
    r"(?:^|\s)(?:(?:page|site|main|doc|global|web)[-_]?)?(?:(header|masthead)|footer)(?:$|\s)", re.IGNORECASE
)
# The words of notices whose elements have no telling name. Pages about cookies or a newsletter say more.
_COOKIE_NOTICE = re.compile(
    r"(?=.*\bcookies?\b)(?=.*\b(?:website|site|page|we|our|wir|unsere|nous|notre|usamos|utilizamos|utilizziamo|wij)\b)"
    r"(?=.*\b(?:accept\w*|agree\w*|consent\w*|by clicking|akzeptier\w*|stimmen|zustimm\w*|einverstanden|acceptez"
    r"|acceptant|aceptas?|aceptar|accett\w+|akkoord)\b)",
    re.IGNORECASE | re.DOTALL,
)
_INVITATION = re.compile(
    r"\b(?:sign up|subscribe|join our|abonnieren?|jetzt anmelden|inscrivez-vous|abonnez-vous|suscríbete|iscriviti)\b",
    re.IGNORECASE,
)
_BARS = ("div", "p")
_BETWEEN_LINKS = re.compile(r"\s*(?:[>»›→|·•/]|::)\s*")
_MIN_LINKS = 2
_CONTENTS = words("toc tableofcontents contents")
_SKIP = re.compile(r"(?:^|[\s_-])skip(?:$|[\s_-])", re.IGNORECASE)
_MAX_NAME_CHARACTERS = 300

# Limits on the number of characters outside links.
_A_LOT, _LITTLE, _VERY_LITTLE = 1_500, 400, 120
_MOSTLY, _NEARLY_ALL = 0.6, 0.95


@dataclass(frozen=True, slots=True)
class ElementStats:
    """Counts of an element's content.

    Attributes
    ----------
    characters
        All characters.
    linked
        Characters in links.
    linked_within
        Characters in links to the page itself.
    code
        Blocks of code.
    headings
        Headings.
    languages
        Links to the page in other languages.
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


def boilerplate_kind(
    tag: str, attributes: Mapping[str, str], in_content: bool, in_cell: bool
) -> BoilerplateKind | None:
    """Return the condition on which an element is dropped; None if it is always kept.

    Parameters
    ----------
    tag, attributes
        The element.
    in_content
        Whether it is inside the main content of the page, where headers and footers belong to an article.
    in_cell
        Whether it is inside a table cell or list item, whose links are its content.
    """
    if tag not in _CONTAINERS:
        return None
    role = _ROLES.get(attributes.get("role", "").strip().lower())
    if role is not None:
        return role
    if tag in _ELEMENTS and not in_content:
        return _ELEMENTS[tag]
    classes, identifier = (attributes.get(name, "")[:_MAX_NAME_CHARACTERS] for name in ("class", "id"))
    if _NOTICES.search(f"{classes} {identifier}") or _name_words(classes) & _ADVERTS:
        return BoilerplateKind.SHORT
    edge = _EDGE.search(classes) or _EDGE.search(identifier)
    if edge and not in_content:
        return BoilerplateKind.HEADER if edge.group(1) else BoilerplateKind.FOOTER
    name_words = _name_words(f"{classes} {identifier}")
    if name_words & _CONTENTS:
        return BoilerplateKind.LINKS_WITHIN
    if any(word.startswith("nav") or word.endswith("nav") for word in name_words):
        return BoilerplateKind.NAVIGATION
    if name_words & _MENUS:
        return BoilerplateKind.LINKS
    if in_cell:
        return None
    if tag == "div" and not in_content:
        return BoilerplateKind.BANNER
    return BoilerplateKind.CONTENTS if tag in _LISTS else BoilerplateKind.BAR if tag in _BARS else None


def _name_words(names: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(names)}


def skips(attributes: Mapping[str, str]) -> bool:
    """Return whether a link skips navigation, such as "Skip to content"."""
    return bool(_SKIP.search(attributes.get("class", "")[:_MAX_NAME_CHARACTERS]))


def is_boilerplate(kind: BoilerplateKind, held: ElementStats, blocks: Sequence[str]) -> bool:
    """Return whether to drop an element, given its condition, content counts and text blocks."""
    if held.code:
        return False
    unlinked = held.characters - held.linked
    if kind in (BoilerplateKind.BANNER, BoilerplateKind.ASIDE) and _is_notice(kind, held, blocks):
        return True
    if kind in (BoilerplateKind.BAR, BoilerplateKind.BANNER):
        return len(blocks) == 1 and _is_bar(blocks[0], held)
    if kind is BoilerplateKind.FOOTER:
        return unlinked <= _LITTLE and not held.headings
    if kind is BoilerplateKind.SHORT:
        return unlinked <= _A_LOT
    if kind is BoilerplateKind.LINKS_WITHIN:
        return held.linked_within >= _MOSTLY * held.characters
    if kind is BoilerplateKind.CONTENTS:
        return held.characters > 0 and held.linked_within >= _NEARLY_ALL * held.characters
    has_little, is_linked = unlinked <= _VERY_LITTLE, held.linked >= _MOSTLY * held.characters
    if kind is BoilerplateKind.NAVIGATION:
        return has_little or is_linked
    if kind is BoilerplateKind.HEADER:
        return has_little and (held.linked > unlinked or not held.headings)
    return is_linked


def _is_notice(kind: BoilerplateKind, held: ElementStats, blocks: Sequence[str]) -> bool:
    """Return whether a short element is a cookie notice or, beside the content, an invitation to subscribe."""
    unlinked = held.characters - held.linked
    if unlinked <= _LITTLE and not held.headings and _COOKIE_NOTICE.search("\n".join(blocks)):
        return True
    is_aside = kind is BoilerplateKind.ASIDE
    return is_aside and unlinked <= _VERY_LITTLE and any(_INVITATION.search(block) for block in blocks)


def _is_bar(text: str, held: ElementStats) -> bool:
    """Return whether a block is only a row of links with separators, or leads to the page in other languages."""
    unlinked = held.characters - held.linked
    if held.languages >= _MIN_LINKS and unlinked <= _VERY_LITTLE:
        return True
    links = len(_BETWEEN_LINKS.split(text))
    return links >= _MIN_LINKS and held.linked > 0 and unlinked < links + 1
