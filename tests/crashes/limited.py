"""Runs the command ``polyadic`` so that no file can grow beyond a size: ``python -m tests.crashes.limited BYTES ...``.

To the program this is a disk that has no room left, and it needs no rights: Python has writes fail where the kernel
would end the process.
"""

import resource
import sys


def main(size: str, *arguments: str) -> int:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), int(size)))
    from polyadic.cli.main import run

    return run([*arguments])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
