"""Evidence is the truth: what a store holds depends on the documents present, and on nothing that ever happened."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyadic.store.sqlite import SqliteStore
from tests.support.canonical import canonical
from tests.support.store_driver import Statement, publish, withdraw

# Few names in several spellings, so that documents share entities, facts and forms.
NAMES = ["Ada", "ADA", "the Engine", "Engine", "London", "1843"]
TITLES = {"a": "Ada", "b": "the Engine", "c": "", "d": "Ada"}
statements = st.builds(
    lambda names, verb: (f"{' and '.join(names)} {verb}.", names),
    st.lists(st.sampled_from(NAMES), min_size=0, max_size=4),
    st.sampled_from(["met", "worked"]),
)
contents = st.lists(statements, min_size=1, max_size=4)
histories = st.lists(st.tuples(st.sampled_from("abcd"), st.none() | contents), min_size=1, max_size=10)


@given(histories)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_history_leaves_no_trace(history: list[tuple[str, list[Statement] | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lived = SqliteStore(Path(folder) / "lived", "test")
        present: dict[str, list[Statement]] = {}
        sources = {}
        for name, said in history:
            if said is not None:
                sources[name] = publish(lived, name, said, title=TITLES[name])
                present[name] = said
            elif name in present:
                withdraw(lived, sources[name])
                del present[name]
        fresh = SqliteStore(Path(folder) / "fresh", "test")
        for name in sorted(present, reverse=True):
            publish(fresh, name, present[name], title=TITLES[name])
        assert canonical(lived) == canonical(fresh)
        lived.close()
        fresh.close()
