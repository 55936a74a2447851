"""``python -m polyadic`` is the command ``polyadic``."""

from polyadic.cli.main import main

main()
