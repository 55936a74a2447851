"""Runs the command ``polyadic`` so that it waits for seconds where it would for half a minute.

``python -m tests.crashes.impatient SECONDS ...``
"""

import sys


def main(seconds: str, *arguments: str) -> int:
    from polyadic.storage.postgres import backoff

    backoff.WAITED = float(seconds)
    from polyadic.cli.main import run

    return run([*arguments])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
