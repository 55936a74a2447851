"""The fixtures of the server, for the tests of the server."""

from tests.model_server.fixtures import model_server, recorded_server

__all__ = ["model_server", "recorded_server"]
