"""Presets are settings that hold, and that the documentation names."""

import re
from pathlib import Path

import pytest

from polyadic.config import FILE_NAME, Settings, load_settings, template
from polyadic.config.presets import PRESETS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", list(PRESETS))
def test_preset_round_trips_through_the_settings_file(name: str, tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    file.write_text(template(PRESETS[name]), encoding="utf-8")
    settings = load_settings(file)
    for section, values in PRESETS[name].items():
        for key, value in values.items():
            assert getattr(getattr(settings, section), key) == value
    untouched = set(Settings.model_fields) - set(PRESETS[name])
    assert all(getattr(settings, section) == getattr(Settings(), section) for section in untouched)


@pytest.mark.parametrize("name", list(PRESETS))
def test_presets_are_documented(name: str) -> None:
    assert f"| `{name}` |" in (ROOT / "docs" / "models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", list(PRESETS))
def test_preset_reply_fits_into_the_context(name: str) -> None:
    model = PRESETS[name]["model"]
    assert int(str(model["output_tokens"])) <= int(str(model["context_tokens"])) // 2


@pytest.mark.parametrize("name", list(PRESETS))
def test_prices_of_presets_are_documented_with_their_date(name: str) -> None:
    text = " ".join((ROOT / "docs" / "models.md").read_text(encoding="utf-8").split())
    for values in PRESETS[name].values():
        if "prompt_price" in values:
            _, _, price = text.partition(f"{values['name']} {values['prompt_price']}")
            assert re.match(r"[^()]*\(\w+, \d+ \w+ 20\d\d", price), values["name"]


def listed_additions() -> dict[tuple[str, str], tuple[str, str]]:
    """Section and name of each setting in docs/paper-presets.md, with its default and the preset's value."""
    text = (ROOT / "docs" / "paper-presets.md").read_text(encoding="utf-8")
    table = text.split("<!-- additions -->")[1].split("<!-- end of additions -->")[0].strip().splitlines()[2:]
    section, found = "", {}
    for line in table:
        first, default, chosen = (cell.strip() for cell in line.strip("|").split("|")[:3])
        *named, name = first.replace("`", "").split()
        section = named[0].strip("[]") if named else section
        found[section, name] = (default.strip("`"), chosen.strip("`").removesuffix(" (all)"))
    return found


def test_additions_to_the_papers_are_listed_with_their_values() -> None:
    listed = listed_additions()
    switched = {
        (section, name): str(value)
        for preset in ("paper", "hirag")
        for section in ("retrieval", "hypergraph", "hierarchy_build", "hierarchy")
        for name, value in PRESETS[preset].get(section, {}).items()
        if value != getattr(getattr(Settings(), section), name)
        and name not in ("method", "context_tokens", "by", "layers")
    }
    assert {place: value.lower().removesuffix(".0") for place, value in switched.items()} == {
        place: chosen for place, (_, chosen) in listed.items()
    }
    for (section, name), (default, _) in listed.items():
        assert str(getattr(getattr(Settings(), section), name)).lower() == default


def test_preset_of_hypergraphrag_has_the_numbers_of_the_paper(tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    file.write_text(template(PRESETS["paper"]), encoding="utf-8")
    chosen = load_settings(file)
    found = chosen.hypergraph
    assert (found.entities, found.facts, found.chunks) == (60, 60, 5)
    assert (found.entity_threshold, found.fact_threshold, found.chunk_threshold) == (50, 5, 0.5)
    # Table 4: 5 chunks, and 60 elements for methods on graphs; 16 calls at once.
    assert chosen.chunks.passages == 5
    assert {chosen.graphrag.entities, chosen.lightrag.entities, chosen.lightrag.relations, chosen.pathrag.entities} == {
        60
    }
    assert (chosen.model.name, chosen.model.temperature, chosen.model.at_once) == ("gpt-4o-mini", 1.0, 16)
