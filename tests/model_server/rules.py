"""Which call misbehaves how."""

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass

from tests.model_server.misbehaviour import Misbehaviour
from tests.model_server.types import Asked, Route

Predicate = Callable[[Asked], bool]


@dataclass
class Rule:
    """``left`` is how many calls may still misbehave; None is all of them."""

    kinds: tuple[Misbehaviour, ...]
    left: int | None
    when: Predicate | None
    on: Collection[int] | None
    route: Route

    def takes(self, asked: Asked, route: Route) -> bool:
        return (
            route == self.route
            and self.left != 0
            and (self.on is None or asked.number in self.on)
            and (self.when is None or self.when(asked))
        )


class Rules:
    """A queue: a call follows the first rule that takes it, and no other."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._lock = threading.Lock()

    def add(self, rule: Rule) -> None:
        with self._lock:
            self._rules.append(rule)

    def clear(self) -> None:
        with self._lock:
            self._rules.clear()

    def take(self, asked: Asked, route: Route) -> tuple[Misbehaviour, ...]:
        with self._lock:
            for rule in self._rules:
                if rule.takes(asked, route):
                    if rule.left is not None:
                        rule.left -= 1
                    return rule.kinds
        return ()
