"""The books in which jobs are kept: a file, and tables that servers share."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from polyadic.server.jobs.job import Job, JobProgress, JobRequest, JobState
from polyadic.server.jobs.job_store import JobStore
from polyadic.server.jobs.postgres_job_store import PostgresJobStore
from polyadic.server.jobs.sqlite_job_store import SqliteJobStore
from polyadic.server.tenants.postgres_tables import TenantTables
from tests.support import postgres

BEGUN = "2026-01-01T00:00:00.000+00:00"


@pytest.fixture(params=["file", "database"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[JobStore]:
    """An empty one, for workspaces ``letters`` and ``notes``."""
    if request.param == "file":
        with closing(SqliteJobStore(tmp_path / "jobs.sqlite")) as kept:
            yield kept
        return
    with closing(TenantTables(postgres.own_database())) as tables:
        tables.done(lambda raw: raw.execute("INSERT INTO workspace (name) VALUES ('letters'), ('notes')"))
        with closing(PostgresJobStore(tables)) as shared:
            yield shared


def job(number: int, workspace: str = "letters", state: JobState = JobState.QUEUED) -> Job:
    return Job(f"{number:032x}", workspace, JobRequest(budget=0.5), state, 1, BEGUN)


@pytest.mark.slow
def test_stored_jobs_round_trip(store: JobStore) -> None:
    async def work() -> None:
        whole = replace(
            job(1, state=JobState.PARTLY),
            progress=JobProgress(2, 3, 4),
            report={"added": 1, "said": "a\0b"},
            problem="“so”",
        )
        assert await store.add(whole, 10)
        assert await store.job(whole.id, "letters") == whole and await store.job(whole.id, "notes") is None
        assert await store.by_ids([whole.id, "0"]) == [whole]
        assert await store.counts() == {JobState.PARTLY: 1}

    asyncio.run(work())


def test_concurrent_updates_of_a_job_have_one_winner(store: JobStore) -> None:
    async def work() -> None:
        queued = job(1)
        begun = replace(queued, state=JobState.RUNNING, attempts=1, started=BEGUN)
        assert await store.add(queued, 10)
        assert await store.compare_and_swap(queued, begun)
        assert not await store.compare_and_swap(queued, replace(queued, state=JobState.CANCELLED))
        # How far it is tells no stage: whoever runs it need not know what it has told.
        assert await store.compare_and_swap(begun, replace(begun, progress=JobProgress(documents=1)))
        assert await store.compare_and_swap(begun, replace(begun, state=JobState.SUCCEEDED, problem="a\0b"))
        assert not await store.compare_and_swap(begun, replace(begun, progress=JobProgress(documents=2)))
        ended = await store.job(queued.id, "letters")
        assert ended is not None and ended.state is JobState.SUCCEEDED and ended.progress == JobProgress()

    asyncio.run(work())


def test_next_jobs_are_the_first_of_each_workspace(store: JobStore) -> None:
    async def work() -> None:
        jobs = [job(1, state=JobState.FAILED), job(2), job(3), job(4, "notes"), job(5, "notes")]
        for one in jobs:
            assert await store.add(one, 2)
        assert not await store.add(job(6), 2)
        assert await store.next_per_workspace() == [jobs[1], jobs[3]]
        assert await store.unfinished("letters") == jobs[1:3]
        assert await store.acquire(jobs[1]) and await store.holds(jobs[1])
        await store.release(jobs[1])
        assert await store.jobs("notes", 1) == [jobs[4]]

    asyncio.run(work())


def test_jobs_are_listed_in_pages(store: JobStore) -> None:
    async def work() -> None:
        jobs = [job(1), job(2, "notes"), job(3), job(4)]
        for one in jobs:
            await store.add(one, 10)
        assert await store.jobs("letters", 2) == [jobs[3], jobs[2]]
        assert await store.jobs("letters", 2, jobs[2].id) == [jobs[0]]
        assert await store.jobs("letters", 2, jobs[0].id) == []
        assert await store.jobs("letters", 2, jobs[1].id) == []

    asyncio.run(work())


def test_expired_jobs_are_ended_ones_except_the_latest(store: JobStore) -> None:
    async def work() -> None:
        jobs = [job(number, state=JobState.SUCCEEDED) for number in range(3)]
        for one in [*jobs, job(9)]:
            await store.add(one, 10)
        assert await store.expired("letters", 1) == [jobs[1], jobs[0]]
        await store.delete([jobs[0].id])
        assert await store.expired("letters", 1) == [jobs[1]]
        await store.delete_workspace("letters")
        assert await store.jobs("letters", 10) == []

    asyncio.run(work())


def test_lock_is_held_until_released_or_the_server_ends() -> None:
    address = postgres.own_database()
    with (
        closing(TenantTables(address)) as first,
        closing(TenantTables(address)) as second,
        closing(PostgresJobStore(first)) as one,
        closing(PostgresJobStore(second)) as other,
    ):
        first.done(lambda raw: raw.execute("INSERT INTO workspace (name) VALUES ('letters')"))

        async def work() -> None:
            running, waiting = job(1), job(2)
            for new in (running, waiting):
                await one.add(new, 10)
            assert not await other.acquire(waiting), "it is not the first"
            assert await one.acquire(running) and not await other.acquire(running)
            assert not await other.holds(running)
            one.close()
            assert not await one.holds(running)
            # The server knows a little later that a connection has ended.
            while not await other.acquire(running):
                await asyncio.sleep(0.01)
            # Asked to stop, until it is queued anew.
            await one.ask_to_stop(running)
            assert await other.asked_to_stop([running.id, waiting.id]) == {running.id}
            failed = replace(running, state=JobState.FAILED)
            assert await other.compare_and_swap(running, failed) and await other.compare_and_swap(failed, running)
            assert not await other.asked_to_stop([running.id])

        asyncio.run(asyncio.wait_for(work(), 60))
