"""What stands between a client and a server of PostgreSQL in tests: it can cut, stall, refuse and lose answers."""

import contextlib
import re
import socket
import threading
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

PASSWORD = "not-to-be-told"  # noqa: S105
"""Stands in the address of every database behind a proxy; servers of tests ask for none."""


class Proxy:
    """Passes bytes on between clients at a port of this machine and the socket of a server."""

    def __init__(self, server: str) -> None:
        self._target = f"{parse_qs(urlsplit(server).query)['host'][0]}/.s.PGSQL.5432"
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._half_over: set[tuple[socket.socket, socket.socket]] = set()
        self._changing = threading.Lock()
        self._flowing = threading.Event()
        self._flowing.set()
        self._loses_answer = False
        self.refuses = False
        """Whether clients that come now are sent away."""
        self.version: bytes | None = None
        """The two digits that clients hear as the version of the server."""
        self.passed = 0
        """How often something came from a client."""
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def database(self) -> str:
        """The address of the server's database, by way of this proxy."""
        port = self._listening.getsockname()[1]
        return f"postgresql://postgres:{PASSWORD}@127.0.0.1:{port}/postgres"

    def cut(self) -> None:
        """End all connections at once."""
        with self._changing:
            pairs, self._pairs = self._pairs, set()
        for pair in pairs:
            _end(pair)

    def stall(self) -> None:
        """From now on nothing is passed on, and nothing is cut."""
        self._flowing.clear()

    def flow(self) -> None:
        self._flowing.set()

    def lose_answer(self) -> None:
        """What the server says next is lost, and the connection with it."""
        self._loses_answer = True

    def close(self) -> None:
        self._listening.close()
        self.flow()
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if self.refuses:
                    client.close()
                    continue
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(self._target)
                except OSError:
                    client.close()
                    continue
                pair = (client, server)
                with self._changing:
                    self._pairs.add(pair)
                threading.Thread(target=self._pass_on, args=(client, server, pair), daemon=True).start()
                threading.Thread(target=self._pass_on, args=(server, client, pair), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, pair: tuple[socket.socket, socket.socket]) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                self._flowing.wait()
                if source is pair[0]:
                    self.passed += 1
                elif self.version:
                    data = re.sub(rb"(?<=server_version\0)\d\d", self.version, data)
                    target.sendall(data)
                    continue
                elif self._loses_answer:
                    self._loses_answer = False
                    break
                target.sendall(data)
        _end(pair)
        with self._changing:
            self._pairs.discard(pair)
            # A descriptor that is closed is given to the next connection, so nobody may still be about to use it.
            is_last = pair in self._half_over
            self._half_over.symmetric_difference_update([pair])
        if is_last:
            for one in pair:
                one.close()


@contextlib.contextmanager
def proxy(server: str) -> Iterator[Proxy]:
    with contextlib.closing(Proxy(server)) as between:
        yield between


def _end(pair: tuple[socket.socket, socket.socket]) -> None:
    for one in pair:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
