"""Hide the passwords of addresses in the list of processes, as the clients of MySQL and PostgreSQL do."""

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

# The end of the user information is the last "@", as in errors.without_passwords.
_PASSWORD = re.compile(rb"(?<=://)[^:/\0]*:(?P<user>[^\0]*)@|password=(?P<query>[^&\0]*)", re.IGNORECASE)
_START, _END = 45, 46
"""Positions of arg_start and arg_end among the fields of /proc/PID/stat that follow the name of the program."""


def hide_passwords(arguments: Sequence[str]) -> None:
    """Overwrite the passwords among the arguments of this process, where other users of the machine can see them.

    Python keeps its own copy of the arguments. On systems other than Linux nothing is changed.
    """
    if not sys.platform.startswith("linux") or not _PASSWORD.search("\0".join(arguments).encode("utf-8", "replace")):
        return
    import ctypes

    fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    start, end = int(fields[_START]), int(fields[_END])
    memory = ctypes.string_at(start, end - start)
    # The kernel's numbers are trusted only if what they point to are the arguments of this process.
    if not memory.endswith(b"\0".join(os.fsencode(argument) for argument in arguments) + b"\0"):
        return
    for match in _PASSWORD.finditer(memory):
        for begun, ended in (match.span("user"), match.span("query")):
            if begun >= 0:
                ctypes.memset(start + begun, ord("*"), ended - begun)
