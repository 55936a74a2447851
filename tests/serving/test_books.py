"""The books in which jobs are kept: a file, and tables that servers share."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from polyadic.serving.jobs.book import Book
from polyadic.serving.jobs.database_book import DatabaseBook
from polyadic.serving.jobs.file_book import FileBook
from polyadic.serving.jobs.job import Job, Reached, State, Wish
from polyadic.serving.sites.tables import Tables
from tests.support import postgres

BEGUN = "2026-01-01T00:00:00.000+00:00"


@pytest.fixture(params=["file", "database"])
def book(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Book]:
    """An empty one, for workspaces ``letters`` and ``notes``."""
    if request.param == "file":
        with closing(FileBook(tmp_path / "jobs.sqlite")) as kept:
            yield kept
        return
    with closing(Tables(postgres.own_database())) as tables:
        tables.done(lambda raw: raw.execute("INSERT INTO workspace (name) VALUES ('letters'), ('notes')"))
        with closing(DatabaseBook(tables)) as shared:
            yield shared


def job(number: int, workspace: str = "letters", state: State = State.QUEUED) -> Job:
    return Job(f"{number:032x}", workspace, Wish(budget=0.5), state, 1, BEGUN)


def test_what_was_entered_is_told_again(book: Book) -> None:
    async def work() -> None:
        whole = replace(
            job(1, state=State.PARTLY), reached=Reached(2, 3, 4), report={"added": 1, "said": "a\0b"}, problem="“so”"
        )
        assert await book.add(whole, 10)
        assert await book.job(whole.id, "letters") == whole and await book.job(whole.id, "notes") is None
        assert await book.these([whole.id, "0"]) == [whole]
        assert await book.counts() == {State.PARTLY: 1}

    asyncio.run(work())


def test_of_two_who_would_change_a_job_one_does(book: Book) -> None:
    async def work() -> None:
        queued = job(1)
        begun = replace(queued, state=State.RUNNING, attempts=1, started=BEGUN)
        assert await book.add(queued, 10)
        assert await book.swap(queued, begun)
        assert not await book.swap(queued, replace(queued, state=State.CANCELLED))
        # How far it is tells no stage: whoever runs it need not know what it has told.
        assert await book.swap(begun, replace(begun, reached=Reached(documents=1)))
        assert await book.swap(begun, replace(begun, state=State.SUCCEEDED, problem="a\0b"))
        assert not await book.swap(begun, replace(begun, reached=Reached(documents=2)))
        ended = await book.job(queued.id, "letters")
        assert ended is not None and ended.state is State.SUCCEEDED and ended.reached == Reached()

    asyncio.run(work())


def test_the_first_of_each_workspace_is_next(book: Book) -> None:
    async def work() -> None:
        jobs = [job(1, state=State.FAILED), job(2), job(3), job(4, "notes"), job(5, "notes")]
        for one in jobs:
            assert await book.add(one, 2)
        assert not await book.add(job(6), 2)
        assert await book.first() == [jobs[1], jobs[3]]
        assert await book.going("letters") == jobs[1:3]
        assert await book.take(jobs[1]) and await book.holds(jobs[1])
        await book.let_go(jobs[1])
        assert await book.jobs("notes", 1) == [jobs[4]]

    asyncio.run(work())


def test_old_jobs_are_those_that_ended_but_the_latest(book: Book) -> None:
    async def work() -> None:
        jobs = [job(number, state=State.SUCCEEDED) for number in range(3)]
        for one in [*jobs, job(9)]:
            await book.add(one, 10)
        assert await book.old("letters", 1) == [jobs[1], jobs[0]]
        await book.forget([jobs[0].id])
        assert await book.old("letters", 1) == [jobs[1]]
        await book.forget_workspace("letters")
        assert await book.jobs("letters", 10) == []

    asyncio.run(work())


def test_a_lock_is_one_server_s_until_it_lets_go_or_ends() -> None:
    address = postgres.own_database()
    with (
        closing(Tables(address)) as first,
        closing(Tables(address)) as second,
        closing(DatabaseBook(first)) as one,
        closing(DatabaseBook(second)) as other,
    ):
        first.done(lambda raw: raw.execute("INSERT INTO workspace (name) VALUES ('letters')"))

        async def work() -> None:
            running, waiting = job(1), job(2)
            for new in (running, waiting):
                await one.add(new, 10)
            assert not await other.take(waiting), "it is not the first"
            assert await one.take(running) and not await other.take(running)
            assert not await other.holds(running)
            one.close()
            assert not await one.holds(running)
            # The server knows a little later that a connection has ended.
            while not await other.take(running):
                await asyncio.sleep(0.01)
            # Asked to stop, until it is queued anew.
            await one.ask_to_stop(running)
            assert await other.asked_to_stop([running.id, waiting.id]) == {running.id}
            failed = replace(running, state=State.FAILED)
            assert await other.swap(running, failed) and await other.swap(failed, running)
            assert not await other.asked_to_stop([running.id])

        asyncio.run(asyncio.wait_for(work(), 60))
