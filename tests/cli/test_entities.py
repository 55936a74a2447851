"""polyadic entities: reviewing, deciding and undoing from the command line."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

SAO = "São Paulo sold coffee to Hamburg in 1890. São Paulo has a museum of Lina Bardi."
PAULO = "Sao Paulo bought looms from Manchester. Mercury reached Sao Paulo in May."
MERCURY = "Mercury orbits Helios. Mercury was mapped by Messenger."


@pytest.fixture
def cities(polyadic: Command, tmp_path: Path) -> Path:
    folder = tmp_path / "cities"
    folder.mkdir()
    for name, text in (("coffee", SAO), ("looms", PAULO), ("planets", MERCURY)):
        (folder / f"{name}.txt").write_text(text)
    assert polyadic("index", str(folder)).code == 0
    return folder


def exported(polyadic: Command) -> str:
    return polyadic("export", "--format", "hif").out


def test_reviewing_merging_and_undoing(polyadic: Command, cities: Path) -> None:
    before = exported(polyadic)
    review = polyadic("entities", "review")
    assert review.code == 0
    assert "Sao Paulo = São Paulo?" in review.out
    assert "the same but for accents" in review.out
    assert "in 2 facts: " in review.out
    assert "1 certain" in review.out
    merged = polyadic("entities", "merge", "São Paulo", "sao paulo", "--into", "São Paulo")
    assert (merged.code, merged.err) == (0, "")
    assert "are the same entity: São Paulo" in merged.out
    assert "in 4 facts" in polyadic("show", "entity", "Sao Paulo").out
    decided = polyadic("entities", "review", "--decided")
    assert "1 decision;" in decided.out
    identifier = decided.out.split()[0]
    assert polyadic("entities", "undo", identifier[:4]).out.startswith(f"undone: {identifier}")
    assert exported(polyadic) == before


def test_merge_certain_pairs(polyadic: Command, cities: Path) -> None:
    assert "are the same entity" in polyadic("entities", "merge", "--auto").out
    assert polyadic("entities", "merge", "--auto").out == "nothing to do\n"
    assert "Sao Paulo =" not in polyadic("entities", "review").out


def test_splitting_a_name(polyadic: Command, cities: Path) -> None:
    split = polyadic("entities", "split", "Mercury", "--as", "Mercury (planet)", "--from", str(cities / "planets.txt"))
    assert "decided:" in split.out
    assert "in 2 facts" in polyadic("show", "entity", "Mercury (planet)").out
    assert "in 1 fact" in polyadic("show", "entity", "Mercury").out
    assert "Mercury means Mercury (planet) in cities/planets.txt" in polyadic("entities", "review", "--decided").out


def test_json_output(polyadic: Command, cities: Path) -> None:
    review = json.loads(polyadic("entities", "review", "--json").out)
    pair = review["candidates"][0]
    assert {pair["one"]["name"], pair["other"]["name"]} == {"São Paulo", "Sao Paulo"}
    accepted = json.loads(polyadic("entities", "review", "--accept", pair["id"], "--json").out)
    (decision,) = accepted["decided"]
    (held,) = json.loads(polyadic("entities", "review", "--decided", "--json").out)
    assert (held["id"], held["kind"], held["names"]) == (decision["id"], "merge", decision["names"])
    assert held["at"].endswith("Z")
    undone = json.loads(polyadic("entities", "undo", held["id"], "--json").out)
    assert [one["id"] for one in undone["undone"]] == [decision["id"]]
    assert json.loads(polyadic("entities", "merge", "--auto", "--json").out)["decided"][0]["id"] == decision["id"]


def test_cannot_link(polyadic: Command, cities: Path) -> None:
    assert "are different entities" in polyadic("entities", "cannot-link", "Sao Paulo", "São Paulo").out
    assert "Sao Paulo =" not in polyadic("entities", "review").out
    refused = polyadic("entities", "merge", "Sao Paulo", "São Paulo")
    assert refused.code == 1
    assert "have a cannot-link decision" in refused.err
    assert refused.err.count("\n") == 1


def test_keep(polyadic: Command, cities: Path) -> None:
    decided = polyadic("entities", "keep", "mercury").out
    assert "Mercury is one entity" in decided
    assert "already decided" in polyadic("entities", "keep", "Mercury").out
    assert "Mercury is one entity" in polyadic("entities", "review", "--decided").out
    assert "undone" in polyadic("entities", "undo", decided.split()[1]).out


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["merge"], 2, "missing argument 'NAME NAME...'"),
        (["merge", "Mercury"], 2, "missing argument 'NAME NAME...'"),
        (["merge", "Mercury", "--auto"], 2, "--auto cannot be combined with NAME"),
        (["merge", "Mercury", "Helios", "--least", "0.5"], 2, "need --auto"),
        (["merge", "--auto", "--least", "2"], 2, "0<=x<=1"),
        (
            ["merge", "Mercury", "Atlantis"],
            1,
            "no entity matches 'Atlantis': use a name as it appears in the documents",
        ),
        (["merge", "--auto", "--least", "nan"], 2, "'nan' is not a number"),
        (["merge", "--auto", "--by-model", "--budget", "nan"], 2, "'nan' is not a number"),
        (["merge", "--auto", "--budget", "5"], 2, "need --by-model"),
        (["merge", "Mercury", "Helios", "--spend-tokens", "0"], 2, "need --by-model"),
        (["review", "--budget", "5"], 2, "need --by-model"),
        (["merge", "Mercury", "mercury"], 1, "not two names"),
        (["split", "Mercury", "--as", "Mercury", "--from", "planets.txt"], 1, "the same name"),
        (["split", "Mercury", "--as", "x", "--from", "coffee.txt"], 1, "names Mercury"),
        (["split", "Mercury", "--as", "x"], 2, "--from"),
        (["undo"], 2, "missing argument"),
        (["undo", "beef"], 1, "no decision matches 'beef'"),
        (["review", "--decided", "--by-model"], 2, "--decided can only be combined with --json"),
        (["review", "--accept", "beefbeef"], 1, "no proposed pair matches 'beefbeef'"),
        (["review", "--accept", "IMF"], 1, "not an identifier of a proposed pair"),
        (["review", "--by-model"], 1, "needs a language model"),
    ],
)
def test_errors_are_one_line(polyadic: Command, cities: Path, arguments: list[str], code: int, reason: str) -> None:
    outcome = polyadic("entities", *arguments)
    assert outcome.code == code
    assert reason in outcome.err
    assert outcome.err.count("\n") == 1


def test_missing_workspace_is_reported(polyadic: Command) -> None:
    for arguments in (["review"], ["merge", "a", "b"], ["merge", "--auto"], ["undo", "beef"]):
        assert "there is no workspace" in polyadic("entities", *arguments).err
