"""What is kept of the summaries in a model's reply, whatever it looks like."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import pytest

from polyadic.config import HierarchyBuildSettings
from polyadic.hierarchy.prompt_context import MemberContext
from polyadic.hierarchy.summarizer import OTHER_TYPE
from polyadic.model.hierarchy import Membership
from tests.hierarchy.recorded_requests import MEMBERS, record, saying, summaries
from tests.model_server import ModelServer, Replaced, ready

ALL = tuple(sorted(member.id for member in MEMBERS))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


def test_summaries_cover_their_listed_members(server: ModelServer) -> None:
    found = saying(server, record("People", [1, 2, 4]), record("Engines", [1, 3]))
    assert [(s.name, s.members) for s in found.summaries] == [
        ("People", ("ada", "babbage", "somerville")),
        ("Engines", ("ada", "engine")),
    ]
    assert len({summary.id for summary in found.summaries}) == 2 and found.dropped == ()


@pytest.mark.parametrize(
    ("given", "kept", "lost"),
    [
        ([1, 3], ("ada", "engine"), {}),
        ([3, 1, 1], ("ada", "engine"), {}),
        ("1, 3", ("ada", "engine"), {}),
        (["[1]", "Member 3"], ("ada", "engine"), {}),
        (["ada lovelace", "Analytical Engine"], ("ada", "engine"), {}),
        ([{"id": 1, "why": "first"}, {"name": "Analytical Engine"}], ("ada", "engine"), {}),
        ([1, 3, 7, 0, -2], ("ada", "engine"), {"member number that does not exist": 3}),
        ([1, 3, "Zuse", True, [2], 1e99], ("ada", "engine"), {"member number that does not exist": 4}),
        (None, ALL, {}),
        ([], ALL, {}),
        ("all", ALL, {"member number that does not exist": 1}),
        ([2], ALL, {"summary of fewer than two members, taken as one of all": 1}),
        (
            [2, 99],
            ALL,
            {"summary of fewer than two members, taken as one of all": 1, "member number that does not exist": 1},
        ),
    ],
)
def test_member_references_are_read_in_many_forms(
    server: ModelServer, given: object, kept: Sequence[str], lost: Mapping[str, int]
) -> None:
    found = saying(server, record(members=given))
    assert found.summaries[0].members == tuple(sorted(kept))
    assert Counter(found.dropped) == lost


def test_a_name_that_a_member_has_is_qualified(server: ModelServer) -> None:
    members = [*MEMBERS, MemberContext("p", "Engines"), MemberContext("q", "Engines (technology)")]
    said = [record("the Engines"), record("Ada Lovelace", type="person"), record("LONDON", type="odd")]
    found = saying(server, *said, members=members)
    names = ["the Engines (theme)", "Ada Lovelace (person)", "LONDON (theme)"]
    assert [summary.name for summary in found.summaries] == names
    assert Counter(found.dropped) == {"summary named like a member, qualified": 3}


def test_a_qualified_name_may_exist_as_well(server: ModelServer) -> None:
    members = [MemberContext(name, name) for name in ("Ada", "Ada (theme)", "Ada (theme 2)", "Cy")]
    found = saying(server, record("Ada", type="odd"), record("Ada (theme 3)"), members=members)
    assert [summary.name for summary in found.summaries] == ["Ada (theme 4)", "Ada (theme 3)"]


def test_a_name_given_twice_is_one_summary(server: ModelServer) -> None:
    said = [
        record("Engines", [1, 2]),
        record("People", [4, 5]),
        record("The engines", [3, 6], description="More of it."),
    ]
    found = saying(server, *said)
    assert [(s.name, s.description) for s in found.summaries] == [
        ("Engines", "Engines it is."),
        ("People", "People it is."),
    ]
    assert found.summaries[0].members == tuple(sorted(("ada", "babbage", "engine", "1843")))
    assert found.dropped == ("summary named twice, joined",)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("types", "said", "kept"),
    [
        (("person", "event"), "Person", "person"),
        (("Person", "event"), "person", "Person"),
        (("person", "event"), "theorem", OTHER_TYPE),
        (("person", "event"), "", OTHER_TYPE),
        ((), "theorem", "theorem"),
    ],
)
def test_types_are_mapped_to_the_configured_ones(
    server: ModelServer, types: tuple[str, ...], said: str, kept: str
) -> None:
    found = saying(server, record(type=said), hierarchy_build=HierarchyBuildSettings(types=types))
    assert found.summaries[0].type == kept


def test_summaries_are_limited_to_half_of_the_members(server: ModelServer) -> None:
    found = saying(server, *(record(f"Theme {n}", [1, 2, *range(3, 3 + n % 4)]) for n in range(9)))
    assert [summary.name for summary in found.summaries] == ["Theme 2", "Theme 3", "Theme 7"]
    assert found.dropped == ("more summaries than half of the members",) * 6
    assert len(saying(server, record("A"), record("B"), members=MEMBERS[:2]).summaries) == 1


def test_empty_summaries_are_dropped(server: ModelServer) -> None:
    found = saying(server, record("", [1, 2]), record(description=""), "Engines", 7, None, record("People"), {"oh": 1})
    assert [summary.name for summary in found.summaries] == ["People"]
    assert Counter(found.dropped) == {"summary without a name": 1, "summary without a description": 2}


OTHER_FORMS = {
    "a bare list": json.dumps([record()]),
    "a bare record": json.dumps(record()),
    "records one after the other": f"{json.dumps(record('People'))}\n{json.dumps(record())}",
    "other fields": json.dumps(
        {"Entities": [{"entity_name": "Engines", "Entity-Type": "x", "desc": "Such.", "covers": "1-3"}]}
    ),
    "one record in the place of a list": json.dumps({"summaries": record()}),
    "a draft before it": f"{json.dumps([record('Draft')])} Better: {json.dumps({'summaries': [record()]})}",
    "a comma too many": json.dumps({"summaries": [record()]}).replace("]}", "],}"),
    "no quotes around keys": '{summaries: [{name: "Engines", description: "Engines it is.", members: [1, 2, 3]}]}',
    "curly quotes": "{“summaries”: [{“name”: “Engines”, “description”: “It is.”, “members”: [1, 2, 3]}]}",
}


@pytest.mark.parametrize("reply", OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_other_forms_are_read(server: ModelServer, reply: str) -> None:
    server.misbehave(Replaced(reply))
    found = summaries(server)
    assert (found.summaries[-1].name, found.summaries[-1].by) == ("Engines", "recorded")
    assert found.summaries[-1].members == ("ada", "babbage", "engine") and not found.failed
    assert "Draft" not in [summary.name for summary in found.summaries]


RELATIONS = """("entity"<|>"Computing"<|>"technology"<|>"People and machines that compute.")##
("relationship"<|>"Ada Lovelace"<|>"Computing"<|>"She wrote the first program."<|>9)##
("relationship"<|>"Computing"<|>"Analytical Engine"<|>"It computes."<|>7.5)##
("relationship"<|>"Charles Babbage"<|>"Computing"<|>"He designed a machine."<|>very)##
("relationship"<|>"Mary Somerville"<|>"Computing")##
<|COMPLETE|>"""


def test_memberships_of_the_paper_have_description_and_strength(server: ModelServer) -> None:
    server.misbehave(Replaced(RELATIONS))
    (summary,) = summaries(server).summaries
    assert summary.members == ("ada", "babbage", "engine", "somerville")
    assert summary.memberships == (
        Membership("ada", "She wrote the first program.", 9.0),
        Membership("babbage", "He designed a machine.", 5.0),
        Membership("engine", "It computes.", 7.5),
    )


@pytest.mark.parametrize(
    ("strength", "read"), [(8, 8.0), ("8", 8.0), ("80%", 8.0), (12, 10.0), (-3, 0.0), (None, 5.0), ([], 5.0)]
)
def test_memberships_in_json_are_read_too(server: ModelServer, strength: object, read: float) -> None:
    described = {"member": 1, "why": "first of all", "strength": strength}
    (summary,) = saying(server, record(members=[described, 3])).summaries
    assert summary.members == ("ada", "engine")
    assert summary.memberships == (Membership("ada", "first of all", read),)


def test_only_members_are_described(server: ModelServer) -> None:
    strange = [{"member": 99, "why": "not there"}, {"member": 1}, {"member": 2, "why": ""}, 3]
    (summary,) = saying(server, record(members=strange)).summaries
    assert summary.members == ("ada", "babbage", "engine") and summary.memberships == ()


def test_summaries_of_one_name_keep_their_descriptions(server: ModelServer) -> None:
    one, other = (record(members=[{"member": n, "why": f"for {n}"}, 3]) for n in (1, 2))
    (summary,) = saying(server, one, other).summaries
    assert [(each.member, each.description) for each in summary.memberships] == [("ada", "for 1"), ("babbage", "for 2")]
