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
