"""What a server has seen of one route."""

import threading
import time
from dataclasses import dataclass, field

from tests.model_server.types import Asked, Call


@dataclass
class Records:
    """``asked`` are the requests in order of arrival, ``calls`` their records in the order in which they ended."""

    asked: list[Asked] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    most_at_once: int = 0
    _in_flight: int = 0
    _numbered: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def prompt_tokens(self) -> int:
        return sum(call.prompt_tokens for call in tuple(self.calls))

    @property
    def completion_tokens(self) -> int:
        return sum(call.completion_tokens for call in tuple(self.calls))

    @property
    def under_way(self) -> int:
        """Requests that have arrived and have no end yet."""
        return self._in_flight

    def number(self) -> int:
        """The number of the next request."""
        with self._lock:
            self._numbered += 1
            return self._numbered

    def reset(self) -> None:
        """Forget all but the requests in flight."""
        with self._lock:
            self.asked.clear()
            self.calls.clear()
            self.most_at_once = self._in_flight
            self._numbered = 0

    def arrived(self, asked: Asked) -> "Visit":
        with self._lock:
            self.asked.append(asked)
            self._in_flight += 1
            self.most_at_once = max(self.most_at_once, self._in_flight)
        return Visit(self, asked)

    def _ended(self, call: Call) -> None:
        with self._lock:
            self.calls.append(call)
            self._in_flight -= 1


@dataclass
class Visit:
    """One request from its arrival to its end."""

    records: Records
    asked: Asked
    prompt_tokens: int = 0
    at: float = field(default_factory=time.time)
    _started: float = field(default_factory=time.perf_counter)
    _ended: bool = False

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._started

    def end(self, status: int, text: str | None = None, completion_tokens: int = 0, error: str = "") -> None:
        """Record the call, before the client can know that it is over; only the first end counts."""
        if not self._ended:
            self._ended = True
            self.records._ended(
                Call(self.asked, status, text, self.prompt_tokens, completion_tokens, self.seconds, self.at, error)
            )
