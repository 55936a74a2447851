from tests.cli.conftest import polyadic

__all__ = ["polyadic"]
