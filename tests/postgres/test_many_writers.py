"""Several processes that index into one workspace at once: one reads each document, and nothing is lost."""

import random
import signal
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import psycopg
import pytest

from polyadic.concurrency.async_to_sync import run_coroutine
from polyadic.errors import StoreBusy
from polyadic.indexing.publisher import withdraw
from polyadic.model.resolution import DecisionKind, ResolutionDecision
from polyadic.storage.leases import NoLeases
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.protocol import Fingerprint, Store
from tests.crashes.commands import COMMAND, ended, started
from tests.support import postgres
from tests.support.canonical import canonical
from tests.support.proxy import proxy
from tests.support.store_driver import Drawing, decide, document, publish
from tests.support.stores import rows_of, stores

NAMES = ("Ada Lovelace", "Charles Babbage", "London", "Luigi Menabrea", "Turin", "Mary Somerville")
PROCESSES, DOCUMENTS, EACH = 5, 30, 20
CUT = 3


@pytest.fixture(scope="module")
def shares(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """Files for each of the processes; most are for several, and all share entities and facts."""
    folder, drawn = tmp_path_factory.mktemp("corpus"), random.Random(7)
    files = []
    for number in range(DOCUMENTS):
        file = folder / f"{number:03}.txt"
        said = [f"{' and '.join(drawn.sample(NAMES, 3))} spoke of engine {drawn.randrange(20)}." for _ in range(8)]
        file.write_text(" ".join(said))
        files.append(str(file))
    return [drawn.sample(files, EACH) for _ in range(PROCESSES)]


@pytest.fixture(scope="module")
def expected(shares: list[list[str]]) -> str:
    """Return the result of one after the other."""
    place = fresh()
    for share in shares:
        assert ended(started(COMMAND, "-w", place, "index", *share)) == (0, "")
    return contents_of(place)


def fresh() -> str:
    return f"{postgres.server()}#{postgres.fresh()}"


def contents_of(place: str) -> str:
    """All that a workspace knows, once it has been found sound."""
    store = PostgresStore(postgres.address(place.rpartition("#")[2]), "hashing-384")
    try:
        assert store.problems() == []
        return canonical(store)
    finally:
        store.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_concurrent_writers_end_like_sequential_ones(shares: list[list[str]], expected: str, seed: int) -> None:
    place, drawn = fresh(), random.Random(seed)
    runs = [started(COMMAND, "-w", place, "index", *drawn.sample(share, EACH)) for share in shares]
    assert [ended(run) for run in runs] == [(0, "")] * PROCESSES
    assert contents_of(place) == expected


@pytest.mark.slow
@pytest.mark.parametrize("what", ["cut", "lose_answer"])
def test_concurrent_writers_survive_lost_connections(shares: list[list[str]], expected: str, what: str) -> None:
    """Documents that one had taken, others may take while it has no connection; no change is lost or made twice."""
    place, drawn = fresh(), random.Random(what)
    with proxy(postgres.server()) as between:
        behind = f"{between.database}#{place.rpartition('#')[2]}"
        runs = [started(COMMAND, "-w", behind, "index", *share) for share in shares[:CUT]]
        while any(run.poll() is None for run in runs):
            time.sleep(drawn.uniform(0.1, 1.5))
            getattr(between, what)()
        outcomes = [ended(run) for run in runs]
    for code, said in outcomes:
        # Whom others came before is to run again, and is told so.
        assert (code, said) == (0, "") or (code == 1 and "run this again" in said and len(said.splitlines()) == 1)
    for share in shares:
        assert ended(started(COMMAND, "-w", place, "index", *share)) == (0, "")
    assert contents_of(place) == expected


@pytest.mark.slow
def test_documents_leased_by_a_killed_process_are_indexed_by_others(shares: list[list[str]], expected: str) -> None:
    for _ in range(4):
        place = fresh()
        killed = started(COMMAND, "-w", place, "index", *shares[0])
        while killed.poll() is None and not has_leases(place):
            time.sleep(0.01)
        # Held where it is, as it may be over before the others have begun, or, on a busy machine, before this.
        killed.send_signal(signal.SIGSTOP)
        if has_leases(place):
            break
        killed.send_signal(signal.SIGCONT)
        assert ended(killed) == (0, "")
    others = [started(COMMAND, "-w", place, "index", *share) for share in shares[1:]]
    killed.send_signal(signal.SIGKILL)
    assert [ended(run) for run in others] == [(0, "")] * len(others)
    assert ended(killed)[0] == -signal.SIGKILL
    assert ended(started(COMMAND, "-w", place, "index", *shares[0])) == (0, "")
    assert contents_of(place) == expected


def has_leases(place: str) -> bool:
    """Whether documents of a workspace are leased."""
    sql = "SELECT count(*) FROM polyadic.lease l JOIN polyadic.workspace w ON w.id = l.workspace WHERE w.name = %s"
    with psycopg.connect(postgres.server()) as raw:
        return raw.execute(sql, (place.rpartition("#")[2],)).fetchone() != (0,)


def test_lease_is_held_until_released_or_the_session_ends() -> None:
    ids = [f"{number:032x}" for number in range(3)]
    with stores("postgres") as open_store:
        one, other = open_store("kb"), open_store("kb")
        with other.indexing_session() as others:
            with one.indexing_session() as mine:
                assert mine.acquire(ids[:2]) == set(ids[:2])
                assert others.acquire(ids) == {ids[2]}
                mine.release(ids[:1])
                assert others.acquire(ids[:2]) == {ids[0]}
            assert others.acquire(ids[:2]) == set(ids[:2])


def test_exclusive_session_waits_for_shared_sessions() -> None:
    with stores("postgres") as open_store:
        one, other = open_store("kb"), open_store("kb")
        with one.indexing_session(), pytest.raises(StoreBusy, match="another process"), other.exclusive_session():
            pass
        with one.exclusive_session(), pytest.raises(StoreBusy, match="another process"), other.indexing_session():
            pass


def test_leased_documents_are_not_pruned() -> None:
    with stores("postgres") as open_store:
        one, other = open_store("kb"), open_store("kb")
        ada, turin = (publish(one, name, [(f"Ada met {name}.", ["Ada", name])]) for name in ("ada", "turin"))
        with one.indexing_session() as mine:
            assert mine.acquire([ada.id])
            with pytest.raises(StoreBusy, match="indexing a document to be deleted"):
                run_coroutine(withdraw(other, [ada.id], Drawing))
            run_coroutine(withdraw(other, [turin.id], Drawing))
            mine.release([ada.id])
            run_coroutine(withdraw(other, [ada.id], Drawing))
        assert canonical(one) == canonical(open_store("new"))


def test_resolution_decisions_are_refused_while_others_index() -> None:
    with stores("postgres") as open_store:
        one, other = open_store("kb"), open_store("kb")
        publish(one, "ada", [("Ada met Bolt.", ["Ada", "Bolt"])])
        decision = ResolutionDecision(DecisionKind.MERGE, ("Ada", "Bolt"), "Ada")
        with one.indexing_session(), pytest.raises(StoreBusy, match="another process"):
            decide(other, [decision])
        decide(other, [decision])


def test_documents_are_prepared_while_another_run_writes() -> None:
    source, chunks, evidence = document("ada", [("Ada met Bolt.", ["Ada", "Bolt"])])
    with ThreadPoolExecutor() as beside, stores("postgres") as open_store:
        one, other = open_store("kb"), open_store("kb")

        def prepare() -> None:
            with one.prepare() as preparer:
                assert not preparer.stamps([source.id])
                assert not list(preparer.current([source.id]))
                preparer.stage([(source, Fingerprint(source.content, "recipe", "by hand"), chunks)])
                preparer.put_evidence({source.id: {chunks[0].id: evidence}})

        with one.indexing_session() as mine, other.indexing_session(), other.write() as writer:
            assert mine.acquire([source.id])
            beside.submit(copy_context().run, prepare).result(timeout=20)
            assert writer.staged(source.id) == [(chunks[0], tuple(evidence))]


def test_cleanup_does_not_remove_staging_of_other_runs() -> None:
    source, chunks, _ = document("ada", [("Ada met Bolt.", ["Ada", "Bolt"])])
    with stores("postgres") as open_store:
        one, other = open_store("kb"), open_store("kb")

        def stage(store: Store, content: str) -> None:
            """Stage it, and let go of it, as a run that is given up."""
            with store.indexing_session() as mine:
                assert mine.acquire([source.id])
                with store.prepare() as preparer:
                    preparer.stage([(source, Fingerprint(content, "recipe", "by hand"), chunks)])
                mine.release([source.id])

        class Late(NoLeases):
            """Takes what is wanted only when another run has been at work on it."""

            def acquire(self, document_ids: Iterable[str]) -> frozenset[str]:
                stage(other, "newer")
                return mine.acquire(document_ids)

        stage(one, "older")
        with one.indexing_session() as mine, one.write() as writer:
            writer.drop_staged(Late())
        assert canonical(one) == canonical(open_store("new")) and one.problems() == []
        assert not list(rows_of(one, ("document", "revision", "text_segment", "chunk", "staged_revision")))


def test_workspaces_do_not_share_leases() -> None:
    with (
        stores("postgres") as open_store,
        open_store("kb").indexing_session() as mine,
        open_store("other").indexing_session() as others,
    ):
        assert mine.acquire(["00" * 16]) == others.acquire(["00" * 16]) == {"00" * 16}
