"""What a run may spend on a language model, never exceeded: each call is paid from what is surely left."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from polyadic.config import ModelSettings
from polyadic.errors import ModelUnavailable, SettingsError
from polyadic.model.types import Usage


@dataclass(frozen=True, slots=True)
class SpendingBudget:
    """The most that may be spent; None: no limit. ``money`` by the prices in the settings.

    >>> SpendingBudget(tokens=1000).allows(Usage(1, 600, 300), Usage(1, 50, 100))
    False
    """

    money: float | None = None
    tokens: int | None = None

    def allows(self, spent: Usage, further: Usage) -> bool:
        """Whether this much may be spent after that."""
        total = spent + further
        within = self.money is None or total.money <= self.money
        return within and (self.tokens is None or total.tokens <= self.tokens)

    def after(self, spent: Usage) -> "SpendingBudget":
        """What is left of it.

        >>> SpendingBudget(tokens=100).after(Usage(1, 80, 30))
        SpendingBudget(money=None, tokens=0)
        """
        money = None if self.money is None else max(0.0, self.money - spent.money)
        return SpendingBudget(money, None if self.tokens is None else max(0, self.tokens - spent.tokens))

    def used_up(self, spent: Usage) -> ModelUnavailable:
        """Why no further call is made."""
        what = f"the budget of {self} has no room for another call ({spent.tokens:,} tokens are spent)"
        return ModelUnavailable(what, "the same command goes on from there; give it a larger budget")

    def __str__(self) -> str:
        parts = [f"{self.money:g} $"] if self.money is not None else []
        return " and ".join([*parts, *([f"{self.tokens:,} tokens"] if self.tokens is not None else [])])


def check_prices(budget: SpendingBudget | None, model: ModelSettings) -> None:
    """Raises SettingsError where a budget is in money, and the settings name no prices."""
    if budget and budget.money is not None and not (model.prompt_price or model.completion_price):
        raise SettingsError("a budget in money needs prices", "set prompt_price and completion_price under [model]")


class BudgetProtocol(Protocol):
    """What calls are paid from.

    Attributes
    ----------
    spent
        What those that came to it have cost so far.
    """

    spent: Usage

    def pay(self, usage: Usage) -> None:
        """Enter what a call has cost."""

    def room_for(self, most: Usage) -> AbstractAsyncContextManager[None]:
        """Entered once there is enough for one more call, which costs at most this; see :class:`BudgetLedger`."""


class BudgetLedger:
    """Keeps a budget over calls at once: each sets aside the most that it can cost until it is known what it did."""

    def __init__(self, budget: SpendingBudget) -> None:
        self.spent = Usage()
        self._budget = budget
        self._set_aside: list[Usage] = []
        self._returned = asyncio.Event()

    def pay(self, usage: Usage) -> None:
        """Enter what a call has cost."""
        self.spent += usage

    @asynccontextmanager
    async def room_for(self, most: Usage) -> AsyncIterator[None]:
        """Leave once there is surely enough for one more call, which costs at most this.

        Raises
        ------
        ModelUnavailable
            There is not, and no call is under way that might leave something over.
        """
        while not self._budget.allows(sum(self._set_aside, self.spent), most):
            if not self._set_aside:
                raise self._budget.used_up(self.spent)
            self._returned.clear()
            await self._returned.wait()
        self._set_aside.append(most)
        try:
            yield
        finally:
            self._set_aside.remove(most)
            self._returned.set()
