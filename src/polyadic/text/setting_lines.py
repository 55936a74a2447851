"""Recognize lines of configuration files: ``bantime = 10m: The time for which a host is banned.``"""

import re

_SETTING = re.compile(r"[#;]?([\w.\-/]{1,80}) =(?=[\s:]|$)")


def setting_name(sentence: str) -> str:
    """Return the name of the setting at the beginning of a sentence; empty if there is none.

    >>> setting_name("bantime = 10m: The time of a ban."), setting_name("#enabled = true"), setting_name("Let a = b.")
    ('bantime', 'enabled', '')
    """
    found = _SETTING.match(sentence)
    return found.group(1) if found else ""
