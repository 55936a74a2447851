"""What is told of Polyadic beside its peers follows from what was measured, also where something was not."""

import dataclasses

import pytest

from benchmarks.peers.__main__ import HEADING, section
from benchmarks.peers.measured import Asking, Inserting, Missing, Reading, Sharing, percentile
from benchmarks.peers.plan import READINGS, SMALL, Results
from benchmarks.peers.smoke import insertion_margins, question_margins, reading_margins, sharing_margin
from benchmarks.peers.stand_in import asked_of, embedded, known, narrow_question, question, tells_of
from benchmarks.peers.systems import POLYADIC, SYSTEMS
from benchmarks.peers.table import Cell, Row, lines, number, rows
from benchmarks.report_sections import replaced
from benchmarks.report_sections import section as section_of
from benchmarks.synthetic_workload import documents, is_marked, marked, passage

READ = Reading(
    passages=200, entities=10, facts=10, calls=220, seconds=2.0, processor=1.0, written=6_000_000, stored=2_000_000
)
INSERTED = Inserting(entities=1_000, facts=800, seconds=0.01, processor=0.008, written=500_000, filled=3.0)
ASKED = Asking(
    first=0.1, milliseconds=(1.0, 2.0, 3.0), processor=2.0, resident=100_000_000, stored=50_000_000, answered=3
)


def cells(**values: float | None) -> dict[str, Cell]:
    return {name: Cell("" if value is None else number(value), value) for name, value in values.items()}


@pytest.mark.parametrize(("better", "ratio"), [("less", 3.0), ("more", 0.2)])
def test_ratio_is_to_the_best_peer_and_above_one_if_polyadic_is_better(better: str, ratio: float) -> None:
    row = Row("s", cells(polyadic=1.0, lightrag=5.0, nano=3.0), "less" if better == "less" else "more")
    assert row.ratio == pytest.approx(ratio)


@pytest.mark.parametrize("values", [{"polyadic": 1.0, "nano": None}, {"polyadic": None, "nano": 1.0}, {"nano": 1.0}])
def test_ratio_needs_both_measurements(values: dict[str, float | None]) -> None:
    assert Row("s", cells(**values)).ratio is None


def test_a_peer_without_a_measurement_does_not_hide_the_others() -> None:
    row = Row("read: s", {"polyadic": Cell("2.00", 2.0), "lightrag": Cell("> 600"), "nano": Cell("4.00", 4.0)})
    assert lines([row], ["polyadic", "lightrag", "nano"]) == [
        "| what | Polyadic | LightRAG | nano-graphrag | best other system / Polyadic |",
        "|---|---|---|---|---|",
        "| read: s | 2.00 | > 600 | 4.00 | 2.00 |",
    ]


def results(*others: str) -> Results:
    names = [POLYADIC, *others]
    slower = dataclasses.replace(READ, seconds=8.0, calls=440)
    return Results(
        readings=[{name: READ if name == POLYADIC else slower for name in names} for _ in READINGS],
        insertions=[{name: INSERTED if name == POLYADIC else Missing("> 600") for name in names} for _ in SMALL.stages],
        sharing={name: Sharing(True, name == POLYADIC, True) for name in names},
        questions={name: [ASKED for _ in SYSTEMS[name].methods] for name in names},
        alive={POLYADIC: 1},
        seconds={"reading": 150.0, "killing": 30.0},
    )


def test_section_has_a_row_per_measurement() -> None:
    text = section(SMALL, results("lightrag"), [POLYADIC, "lightrag"])
    assert "lightrag-hku 1.5.7" in text
    assert "| index 20 passages, 10 per document, model at 0 ms: s | 2.00 | 8.00 | 4.00 |" in text
    assert "| 20 passages, 10 per document, model at 50 ms: calls per second, of 320 | 110 | 55.0 | 2.00 |" in text
    assert "| insert one passage into a store of 1,000 entities: ms | 10.0 | > 600 |  |" in text
    assert "| written by it to the largest store: MB | 0.5 |  |  |" in text
    assert "| in another process that has the store open | yes | no |  |" in text
    assert "| retrieve by `walk` from the largest store, p50 / p95: ms | 2.00 / 3.00 | 2.00 / 3.00 | 1.00 |" in text
    assert "| stores that answer after `kill -9` of their writer | 1 of 1 |  |  |" in text


def test_questions_without_results_do_not_count_as_fast() -> None:
    measured = results("nano")
    measured.questions["nano"] = [dataclasses.replace(ASKED, answered=2)]
    row = next(row for row in rows(SMALL, measured) if "`walk`" in row.what)
    assert row.cells["nano"] == Cell("finds something for 2 of 3")
    assert row.ratio is None


def test_section_replaces_the_previous_one() -> None:
    text = section(SMALL, results(), [POLYADIC])
    once = replaced("# Performance\n\n## Serving\nfast\n", HEADING, text)
    assert replaced(once, HEADING, text) == once
    assert section_of(once, "## Serving") == "## Serving\nfast\n\n"


def test_percentiles_are_measured_values() -> None:
    values = tuple(float(value) for value in range(1, 31))
    assert (percentile(values, 0.5), percentile(values, 0.95)) == (15.0, 29.0)


def test_constant_cost_is_within_margins() -> None:
    margins = [
        *reading_margins(READ, READ, READ),
        *insertion_margins(INSERTED, INSERTED),
        *question_margins("walk", ASKED, ASKED),
        sharing_margin(Sharing(True, True, True)),
    ]
    assert not [str(margin) for margin in margins if margin.broken]


def test_cost_that_grows_with_the_store_exceeds_its_margin() -> None:
    heavier = dataclasses.replace(INSERTED, processor=8 * INSERTED.processor, written=8 * INSERTED.written)
    slower = dataclasses.replace(ASKED, processor=8 * ASKED.processor)
    margins = [*insertion_margins(INSERTED, heavier), *question_margins("walk", ASKED, slower)]
    assert all(margin.broken for margin in margins)


def test_write_amplification_exceeds_its_margin() -> None:
    wasteful = dataclasses.replace(READ, written=9 * READ.stored)
    assert [margin.broken for margin in reading_margins(wasteful, READ, READ)] == [True, False, False, False]


def test_sequential_calls_exceed_a_margin() -> None:
    one_by_one = dataclasses.replace(READ, seconds=READ.seconds + 2 * 0.05 * READ.calls)
    assert [margin.broken for margin in reading_margins(READ, READ, one_by_one)] == [False, False, False, True]


def test_document_not_found_by_another_process_exceeds_the_margin() -> None:
    assert sharing_margin(Sharing(True, False, True)).broken


def test_stand_in_model_finds_passages_and_names_in_a_prompt() -> None:
    names = [name for name, _ in passage(7).entities]
    assert asked_of(f"Query: {question(7)}\nOutput:") == names[:3]
    assert set(asked_of(narrow_question(7))) <= set(names)
    assert asked_of("Who was Ada Lovelace?") == []
    shown = documents(2, 2, first=7)[0]
    assert is_marked(shown)
    assert marked(shown) == 7
    assert not is_marked(shown[-200:])


def test_only_content_of_a_passage_retrieves_it() -> None:
    said, _ = known(7).facts[3]
    assert tells_of(f"some\n{said}\nmore", 7)
    assert not tells_of(known(8).text + known(8).facts[3][0] + question(7), 7)


def test_name_vector_ignores_case_and_punctuation() -> None:
    vectors = embedded(["Ada Lovelace 3", "ADA LOVELACE, 3."])
    assert vectors.shape == (2, 384)
    assert vectors[0] @ vectors[1] == pytest.approx(1.0, abs=1e-5)
