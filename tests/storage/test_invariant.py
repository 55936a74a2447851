"""Evidence is the truth: what a store holds depends on the documents present, and on nothing that ever happened."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.canonical import canonical
from tests.support.examples import examples
from tests.support.store_driver import WrittenFact, publish, withdraw
from tests.support.stores import ENGINES, stores

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


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@given(history=histories)
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_store_does_not_depend_on_history(engine: str, history: list[tuple[str, list[WrittenFact] | None]]) -> None:
    with stores(engine) as open_store:
        lived = open_store("lived")
        present: dict[str, list[WrittenFact]] = {}
        sources = {}
        for name, said in history:
            if said is not None:
                sources[name] = publish(lived, name, said, title=TITLES[name])
                present[name] = said
            elif name in present:
                withdraw(lived, sources[name])
                del present[name]
        fresh = open_store("fresh")
        for name in sorted(present, reverse=True):
            publish(fresh, name, present[name], title=TITLES[name])
        assert canonical(lived) == canonical(fresh)
