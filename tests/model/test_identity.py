"""Identity of entities and facts."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from polyadic.model.identity import digest, entity_key, fact_id, loose_name, normal_text

names = st.text(min_size=1, max_size=40)


@given(names)
def test_an_entity_key_ignores_case_spaces_and_composition(name: str) -> None:
    assert entity_key(unicodedata.normalize("NFD", name)) == entity_key(name)
    assert entity_key(f"  {name} ") == entity_key(name)


def test_qualifiers_keep_homonyms_apart_but_not_their_loose_names() -> None:
    assert entity_key("Mercury (planet)") != entity_key("Mercury (element)")
    assert loose_name("Mercury (planet)") == loose_name("Mercury (element)") == "mercury"


def test_leading_article_is_removed_unless_alone() -> None:
    assert entity_key("The Who") == "who"
    assert entity_key("the") == "the"
    assert entity_key("Theodore") == "theodore"
    assert entity_key("A. Lincoln") == "a. lincoln"


def test_loose_names_drop_possessives_and_accents() -> None:
    assert loose_name("Dvořák’s") == "dvorak"
    assert loose_name("the boys' school") == "boys school"
    assert loose_name("阿波罗11号") == "阿波罗11号"


@given(st.lists(names, min_size=2, max_size=5))
def test_a_fact_is_its_text_and_the_set_of_its_entities(keys: list[str]) -> None:
    assert fact_id("It  was\nso.", keys) == fact_id("It was so.", reversed([*keys, keys[0]]))
    assert fact_id("It was so.", keys) != fact_id("It was not so.", keys)


@given(st.lists(names, min_size=1, max_size=4), st.lists(names, min_size=1, max_size=4))
def test_digests_distinguish_parts(one: list[str], other: list[str]) -> None:
    assert (digest(*one) == digest(*other)) == (one == other)


@given(names)
def test_normal_text_is_stable(text: str) -> None:
    assert normal_text(normal_text(text)) == normal_text(text)
