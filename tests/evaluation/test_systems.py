"""Systems: methods and variants of their settings, validated before any work."""

import pytest

from polyadic.config import HierarchyBuildSettings, HypergraphSettings, Settings
from polyadic.errors import SettingsError
from polyadic.evaluation.systems import System, systems_of

METHODS = ("hypergraph", "hypergraph-without-cr", "lightrag", "hierarchy", "none")


def named(name: str, *variants: str, methods: tuple[str, ...] = METHODS) -> System:
    return next(system for system in systems_of(methods, variants) if system.name == name)


def test_variant_is_combined_with_each_method_that_has_its_settings() -> None:
    names = [system.name for system in systems_of(METHODS, ("entities=5, facts=7",))]
    changed = "entities=5,facts=7"
    assert names == [*METHODS, f"hypergraph {changed}", f"hypergraph-without-cr {changed}"]
    names = [system.name for system in systems_of(METHODS, ("lightrag.entities=5",))]
    assert names == [*METHODS, "lightrag lightrag.entities=5"]


def test_only_the_given_settings_change() -> None:
    base = Settings(hypergraph=HypergraphSettings(words=False))
    changed = named("hypergraph fill=false,facts=20", "fill=false,facts=20").settings(base)
    assert changed.hypergraph == HypergraphSettings(words=False, fill=False, facts=20)
    assert changed.model_copy(update={"hypergraph": base.hypergraph}) == base
    assert named("hypergraph").settings(base) == base


def test_variant_of_the_index_of_a_hierarchy_method() -> None:
    variant = 'layers=0, types=["person", "event"]'
    system = next(one for one in systems_of(METHODS, (variant,)) if one.changes)
    assert system.name == 'hierarchy layers=0,types=["person", "event"]' and system.needs_hierarchy
    expected = HierarchyBuildSettings(layers=0, types=("person", "event"))
    assert system.settings(Settings()).hierarchy_build == expected


def test_hierarchy_without_index_has_no_layers() -> None:
    methods = ("hierarchy", "hierarchy-without-index")
    base = Settings(hierarchy_build=HierarchyBuildSettings(layers=3, cluster_members=7))
    plain, flat, *variants = systems_of(methods, ("layers=1", "cluster_members=9"))
    assert plain.settings(base) == base
    assert flat.needs_hierarchy and flat.settings(base).hierarchy_build == HierarchyBuildSettings(
        layers=0, cluster_members=7
    )
    assert [variant.name for variant in variants] == [
        "hierarchy layers=1",
        "hierarchy cluster_members=9",
        "hierarchy-without-index cluster_members=9",
    ]
    assert variants[2].settings(base).hierarchy_build.layers == 0
    with pytest.raises(SettingsError, match="no method of --methods has all settings of the variant layers=1"):
        systems_of(("hierarchy-without-index",), ("layers=1",))


@pytest.mark.parametrize(
    ("variants", "problem"),
    [
        (("fill",), r"the variant 'fill' is not NAME=VALUE"),
        (("fill=",), r"the variant 'fill=' is not NAME=VALUE"),
        (
            ("filled=true",),
            r"no method of --methods has all settings of the variant filled=true: known: \[hypergraph\]",
        ),
        (("fill=false,decay=0.5",), r"no method of --methods has all settings of the variant fill=false,decay=0.5"),
        (("chunking.tokens=100",), "no method of --methods has all settings of the variant chunking.tokens=100"),
        (("model.name=x",), "no method of --methods has all settings of the variant model.name=x"),
        (("facts=0",), r"the variant hypergraph.facts=0 has an invalid value \(Input should be greater than or equal"),
        (("paths=short",), r"the variant hierarchy.paths=short has an invalid value"),
        (("fill=false", "fill = false"), "method hypergraph fill=false is given twice"),
    ],
)
def test_invalid_variants_are_refused(variants: tuple[str, ...], problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        systems_of(METHODS, variants)


def test_methods_without_settings_are_named() -> None:
    with pytest.raises(SettingsError, match="these methods have no settings"):
        systems_of(("none", "bm25"), ("fill=false",))
