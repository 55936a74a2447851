"""Values of replies: what is taken off them, by the short way and by the long one."""

from hypothesis import given
from hypothesis import strategies as st

from polyadic.llm.replies.cleaning import tidy
from polyadic.llm.replies.json_facts import plain_keys

_UNPRINTABLE = "\0"
VALUES = st.text(alphabet=st.sampled_from(" \"'`“”„«»‘’「」ab-_\n\t\u00a0\ufeff") | st.characters())


@given(VALUES)
def test_value_cleaning_is_idempotent(text: str) -> None:
    assert tidy(text) == tidy(_UNPRINTABLE + text)


@given(VALUES | st.sampled_from(["entity_name", "Hyper-Relation", "key score", "Ä_b", "été"]))
def test_key_cleaning_is_idempotent(key: str) -> None:
    assert plain_keys({key: 1}) == plain_keys({_UNPRINTABLE + key: 1})
