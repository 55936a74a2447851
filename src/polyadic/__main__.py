"""Entry point of ``python -m polyadic``, the same as the command ``polyadic``."""

from polyadic.cli.main import main

main()
