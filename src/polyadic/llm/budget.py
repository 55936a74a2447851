"""Spending budget of a run, never exceeded: each call first reserves the most that it can cost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from polyadic.config import ModelRole, ModelSettings
from polyadic.errors import ModelUnavailable, SettingsError
from polyadic.model.types import Usage


class BudgetUsedUp(ModelUnavailable):
    """The budget of a run does not allow another call."""


@dataclass(frozen=True, slots=True)
class SpendingBudget:
    """The maximum that may be spent; None for no limit. ``money`` is by the prices in the settings.

    >>> SpendingBudget(tokens=1000).allows(Usage(1, 600, 300), Usage(1, 50, 100))
    False
    """

    money: float | None = None
    tokens: int | None = None

    def allows(self, spent: Usage, further: Usage) -> bool:
        """Return whether ``further`` may be spent after ``spent``."""
        total = spent + further
        within = self.money is None or total.money <= self.money
        return within and (self.tokens is None or total.tokens <= self.tokens)

    def after(self, spent: Usage) -> "SpendingBudget":
        """Return the remaining budget.

        >>> SpendingBudget(tokens=100).after(Usage(1, 80, 30))
        SpendingBudget(money=None, tokens=0)
        """
        money = None if self.money is None else max(0.0, self.money - spent.money)
        return SpendingBudget(money, None if self.tokens is None else max(0, self.tokens - spent.tokens))

    def used_up(self, spent: Usage) -> BudgetUsedUp:
        """Return the error for a call that the budget does not allow."""
        what = f"the budget of {self} has no room for another call ({spent.tokens:,} tokens are spent)"
        return BudgetUsedUp(what, "the same command goes on from there; give it a larger budget")

    def __str__(self) -> str:
        parts = [f"${self.money:g}"] if self.money is not None else []
        return " and ".join([*parts, *([f"{self.tokens:,} tokens"] if self.tokens is not None else [])])


def check_prices(budget: SpendingBudget | None, settings: ModelSettings, role: ModelRole) -> None:
    """Raise SettingsError if the budget is in money and the settings have no prices for the model of this role."""
    model = settings.of_role(role)
    if budget and budget.money is not None and not (model.prompt_price or model.completion_price):
        step = f"set prompt_price and completion_price under [{settings.section_of(role)}]"
        raise SettingsError("a budget in money needs prices", step)


class BudgetProtocol(Protocol):
    """Budget shared by concurrent calls.

    Attributes
    ----------
    spent
        Cost of the recorded calls so far.
    """

    spent: Usage

    def pay(self, usage: Usage) -> None:
        """Record the cost of a call."""

    def room_for(self, most: Usage) -> AbstractAsyncContextManager[None]:
        """Enter when the budget allows another call that costs at most ``most``; see :class:`BudgetLedger`."""


class BudgetLedger:
    """Enforce a budget over concurrent calls: each reserves the most that it can cost until it ends."""

    def __init__(self, budget: SpendingBudget) -> None:
        self.spent = Usage()
        self._budget = budget
        self._reserved: list[Usage] = []
        self._released = asyncio.Event()

    def pay(self, usage: Usage) -> None:
        """Record the cost of a call."""
        self.spent += usage

    @asynccontextmanager
    async def room_for(self, most: Usage) -> AsyncIterator[None]:
        """Enter when the budget allows another call that costs at most ``most``; reserve that amount meanwhile.

        Raises
        ------
        BudgetUsedUp
            The budget does not allow it, and no running call could release a reservation.
        """
        while not self._budget.allows(sum(self._reserved, self.spent), most):
            if not self._reserved:
                raise self._budget.used_up(self.spent)
            self._released.clear()
            await self._released.wait()
        self._reserved.append(most)
        try:
            yield
        finally:
            self._reserved.remove(most)
            self._released.set()
