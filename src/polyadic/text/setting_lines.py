"""Lines of configurations in a text: ``bantime = 10m: The time for which a host is banned.``"""

import re

_SETTING = re.compile(r"[#;]?([\w.\-/]{1,80}) =(?=[\s:]|$)")


def setting_name(sentence: str) -> str:
    """What a sentence sets that begins with a setting; empty where it begins otherwise.

    >>> setting_name("bantime = 10m: The time of a ban."), setting_name("#enabled = true"), setting_name("Let a = b.")
    ('bantime', 'enabled', '')
    """
    found = _SETTING.match(sentence)
    return found.group(1) if found else ""
