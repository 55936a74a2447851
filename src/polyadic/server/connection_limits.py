"""HTTP connections that cannot be kept occupied without a request."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol


class BoundedHttpProtocol(H11Protocol):
    """A connection with a time limit for the head of each request.

    The limit is uvicorn's keep-alive timeout, which itself ends with the first byte of a request. If there are too many
    connections, a new one takes the place of the one that has waited longest for a complete request, so that slow
    clients do not keep others out.
    """

    _deadline: asyncio.TimerHandle | None = None
    _waiting_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._make_room()
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_wait()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._is_answering() and self._deadline is None:
            self._wait_for_head()
        super().data_received(data)
        if self._is_answering():
            self._end_wait()

    def on_response_complete(self) -> None:
        self._waiting_since = self.loop.time()
        super().on_response_complete()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._waiting_since = self.loop.time()
        self._deadline = self.loop.call_later(self.timeout_keep_alive, self._close_late)

    def _end_wait(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close_late(self) -> None:
        self._deadline = None
        if not self._is_answering():
            self.transport.close()

    def _make_room(self) -> None:
        # uvicorn refuses requests once this many connections are open, the new one included.
        if self.limit_concurrency is None or len(self.connections) + 1 < self.limit_concurrency:
            return
        waiting = [one for one in self.connections if isinstance(one, BoundedHttpProtocol) and not one._is_answering()]
        if waiting:
            longest = min(waiting, key=lambda one: one._waiting_since)
            self.connections.discard(longest)
            longest.transport.abort()
