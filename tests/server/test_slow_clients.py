"""Connections of clients that send the head of a request slowly, over raw sockets."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from polyadic.server.server_limits import ServerLimits
from tests.server.running_server import Running, running, wait_until

pytestmark = pytest.mark.slow

CONNECTIONS = 8
IDLE_SECONDS = 2.0
BEGINNING = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "


def limits(idle_seconds: float) -> ServerLimits:
    return ServerLimits(connections=CONNECTIONS, idle_seconds=idle_seconds)


@pytest.fixture
def server(folder: Path) -> Iterator[Running]:
    with running(folder, limits=limits(IDLE_SECONDS)) as server:
        yield server


def connected(server: Running, open_sockets: ExitStack, said: bytes = b"") -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    connection = open_sockets.enter_context(socket.create_connection((host, int(port)), timeout=20))
    connection.sendall(said)
    return connection


@pytest.mark.parametrize("said", [b"", BEGINNING], ids=["silent", "half a head"])
def test_slow_clients_lock_nobody_out(folder: Path, said: bytes) -> None:
    """A new connection replaces one of theirs, long before their time is up."""
    with running(folder, limits=limits(300)) as server, ExitStack() as open_sockets:
        for _ in range(3 * CONNECTIONS):
            connected(server, open_sockets, said)
        with server.client() as client:
            assert client.get("/health").status_code == 200


def test_head_that_is_not_completed_in_time_closes_the_connection(server: Running) -> None:
    with ExitStack() as open_sockets:
        connection = connected(server, open_sockets, BEGINNING)
        begun = time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() - begun < 4 * IDLE_SECONDS:
                connection.sendall(b"x")
                time.sleep(0.2)
        assert time.monotonic() - begun > IDLE_SECONDS / 2


def test_second_head_on_a_connection_has_the_same_limit(server: Running) -> None:
    with ExitStack() as open_sockets:
        connection = connected(server, open_sockets, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 200")
        begun = time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() - begun < 4 * IDLE_SECONDS:
                connection.sendall(b"x")
                time.sleep(0.2)


def test_requests_in_progress_keep_their_connections(server: Running) -> None:
    body = b'{"name": "letters"}'
    head = (
        "POST /v1/workspaces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with ExitStack() as open_sockets:
        begun = connected(server, open_sockets, head.encode())
        wait_until(lambda: server.server.server_state.tasks)
        for _ in range(3 * CONNECTIONS):
            connected(server, open_sockets, BEGINNING)
        begun.sendall(body)
        assert begun.recv(1000).startswith(b"HTTP/1.1 201")
