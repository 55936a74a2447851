"""Turns of questions: workspaces have equal shares, whoever comes with many."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from polyadic.server.admission import AdmissionController
from polyadic.server.problem_details import ProblemError
from polyadic.server.server_limits import ServerLimits


class Asking:
    """Questions that are answered when they are told to; notes whose begin, and who is turned away."""

    def __init__(self, at_once: int, waiting: int = 1000) -> None:
        self.turns = AdmissionController(ServerLimits(questions_at_once=at_once, questions_waiting=waiting))
        self.begun: list[str] = []
        self.refused: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []
        self._answered: list[asyncio.Event] = []

    async def ask(self, whose: str, times: int = 1) -> None:
        self.tasks += [asyncio.create_task(self._one(whose)) for _ in range(times)]
        await settled()

    async def answer(self, number: int) -> None:
        """End the question that was the nth to begin."""
        self._answered[number].set()
        await settled()

    async def answer_all(self) -> None:
        while not all(task.done() for task in self.tasks):
            for event in self._answered:
                event.set()
            await settled()

    async def _one(self, whose: str) -> None:
        try:
            async with self.turns.turn(whose):
                self.begun.append(whose)
                self._answered.append(event := asyncio.Event())
                await event.wait()
        except ProblemError:
            self.refused.append(whose)


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def alone() -> None:
        await work()

    asyncio.run(alone())


def test_later_workspace_does_not_wait_for_all_requests_of_another() -> None:
    async def work() -> None:
        asking = Asking(at_once=1)
        await asking.ask("many", 10)
        await asking.ask("few", 2)
        await asking.answer_all()
        assert asking.begun == ["many", "few", "many", "few", *["many"] * 8]

    run(work)


def test_slots_are_shared_equally_among_waiting_workspaces() -> None:
    async def work() -> None:
        asking = Asking(at_once=4)
        await asking.ask("slow", 12)
        await asking.ask("quick", 12)
        for number in range(4):
            await asking.answer(number)
        # The first four were slow's, as nobody else was there; then each has two under way.
        assert asking.begun == [*["slow"] * 4, *["quick"] * 2, *["slow"] * 2]
        await asking.answer_all()
        assert asking.turns.under_way == asking.turns.waiting == 0

    run(work)


def test_three_workspaces_alternate() -> None:
    async def work() -> None:
        asking = Asking(at_once=1)
        for whose in ("a", "b", "c"):
            await asking.ask(whose, 3)
        await asking.answer_all()
        assert asking.begun == ["a", "b", "c"] * 3

    run(work)


def test_full_queue_rejects_the_workspace_with_most_waiting() -> None:
    async def work() -> None:
        asking = Asking(at_once=1, waiting=4)
        await asking.ask("many", 7)
        assert asking.refused == ["many"] * 2
        await asking.ask("few", 3)
        # Room was made for two of them; then both have as many places.
        assert Counter(asking.refused) == {"many": 4, "few": 1}
        await asking.ask("others")
        assert asking.turns.waiting == 4
        await asking.answer_all()
        assert len(asking.begun) == 5

    run(work)


@pytest.mark.parametrize("whom", ["waiting", "given its turn", "under way"])
def test_cancelled_request_releases_its_slot(whom: str) -> None:
    async def work() -> None:
        asking = Asking(at_once=1)
        await asking.ask("a")
        await asking.ask("b")
        if whom == "given its turn":
            # In one step: the place is given, and the client goes before it knows.
            asking._answered[0].set()
            await asyncio.sleep(0)
        asking.tasks[0 if whom == "under way" else 1].cancel()
        await settled()
        await asking.ask("c")
        await asking.answer_all()
        assert asking.begun[-1] == "c"
        assert asking.turns.under_way == asking.turns.waiting == 0

    run(work)


def test_waiting_counts_towards_the_request_timeout() -> None:
    async def work() -> None:
        turns = AdmissionController(ServerLimits(questions_at_once=1, request_seconds=0.05))
        async with turns.turn("a"):
            with pytest.raises(ProblemError) as refused:
                async with turns.turn("b"):
                    pytest.fail("there was no turn to be had")
        assert refused.value.status_code == 504
        assert turns.under_way == turns.waiting == 0

    with pytest.raises(ProblemError):
        # The first one has no more time either.
        run(work)
