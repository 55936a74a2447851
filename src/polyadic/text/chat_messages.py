"""Recognize the messages of exported chats: WhatsApp, Signal, IRC and similar logs, one message per line.

The forms are ``12/06/2025, 18:42 - Marek: text``, ``[12/06/2025, 18:42:05] Marek: text``, ``18:42 - Marek: text``,
``[18:42] <marek> text`` and ``<marek> text``.
"""

import re
from collections import Counter
from collections.abc import Iterator

from polyadic.text.stopwords import words

_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_TIME = r"\d{1,2}[:.]\d{2}(?::\d{2})?(?:[ \u202f]?[AaPp]\.?[Mm]\.?)?"
_STAMP = rf"\u200e?(?:\[(?:{_DATE},?[ ])?{_TIME}\][ ]?|(?:{_DATE},?[ ])?{_TIME}[ ][-–][ ]|{_TIME}[ ](?=<))"
_NICK = r"<[@+ ]?(?P<nick>[^\W\d][\w\[\]\\^{|}`.-]{0,30})>[ ]"
_NAME = r"~?[ ]?(?P<name>[^\W_][^:<>\[\]\n]{0,40}):[ ]"
_MESSAGE = re.compile(rf"(?P<stamp>{_STAMP})(?:{_NICK}|{_NAME})|{_NICK.replace('nick', 'speaker')}(?=\S)")
_STAMPED = re.compile(rf"\u200e?(?:\[{_DATE},?[ ]{_TIME}\]|{_DATE},[ ]{_TIME}[ ][-–][ ])")
_LINE = re.compile(r"^.*$", re.MULTILINE)
# A line that begins with one of these is HTML, not a message.
_ELEMENTS = words(
    """
    a abbr address article aside audio b base blockquote body br button caption center cite code col dd del details dfn
    dialog div dl dt em fieldset figcaption figure font footer form frame h1 h2 h3 h4 h5 h6 head header hr html i
    iframe img input ins kbd label legend li link main map mark meta nav object ol optgroup option p param picture pre
    q s samp script section select small source span strike strong style sub summary sup svg table tbody td template
    textarea tfoot th thead time title tr tt u ul var video wbr
    """
)
_MIN_MESSAGES = 3


def is_message(line: str) -> bool:
    """Return whether a line begins a message with its speaker.

    >>> lines = ("18:42 - Marek: I'll fetch you.", "<sam> thanks", "<p> Text", "At 18:42 Marek: came")
    >>> [is_message(line) for line in lines]
    [True, True, False, False]
    """
    return _matched(line) is not None


def begins_entry(line: str) -> bool:
    """Return whether a line begins a message, or a notice of the program with its date and time."""
    return _STAMPED.match(line) is not None or is_message(line)


def written_out(message: str) -> str:
    """Return a message with a colon after its speaker; any other text unchanged.

    >>> written_out("[18:42] <marek> on my way"), written_out("<b> bold")
    ('[18:42] marek: on my way', '<b> bold')
    """
    found = _matched(message)
    nick = found and (found["nick"] or found["speaker"])
    return f"{found['stamp'] or ''}{nick}: {message[found.end() :]}" if found and nick else message


def speakers(text: str) -> list[tuple[int, str]]:
    """Return where each message of a chat begins, and its speaker; nothing if the text is no chat.

    In a chat, several messages follow each other, and some speaker has more than one.

    >>> speakers("18:40 - Sam: Can someone pick me up?\\n18:42 - Marek: I'll fetch you.\\n18:43 - Sam: thanks")
    [(0, 'Sam'), (37, 'Marek'), (68, 'Sam')]
    >>> speakers("18:00 - Dinner: soup\\n19:00 - Talk: bees\\n20:00 - Film: Alien")
    []
    """
    found = list(_speakers(text))
    counts = Counter(name for _, name in found)
    return found if len(found) >= _MIN_MESSAGES and len(counts) < len(found) else []


def _speakers(text: str) -> Iterator[tuple[int, str]]:
    for line in _LINE.finditer(text):
        if message := _matched(line.group()):
            yield line.start(), message["nick"] or message["name"] or message["speaker"]


def _matched(line: str) -> re.Match[str] | None:
    # Most lines begin with a letter; this is faster than the pattern.
    if not line or line[0] not in "0123456789[<\u200e":
        return None
    found = _MESSAGE.match(line)
    return None if found and (found["speaker"] or "").lower() in _ELEMENTS else found
