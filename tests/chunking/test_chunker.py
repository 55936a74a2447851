"""Chunks: exact characters, bounded sizes, and boundaries that an edit elsewhere leaves alone."""

import random
from collections import Counter
from itertools import pairwise
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from polyadic.chunking.chunker import chunk_document, extraction_windows
from polyadic.config import ChunkingSettings
from polyadic.model.types import Chunk, Document
from polyadic.text.tokens import count_tokens
from tests.support.examples import examples
from tests.support.huge_blocks import HUGE_BLOCKS, INSERTIONS

WORDS = "engine mill card number store wheel letter table carry column note series result order lever axle drum".split()  # noqa: SIM905
CHARACTERS = (
    "的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然"
)
PARTS = ["One. ", "Two!\n", "# Head\n", "\n\n", "A B C ", "我们去。", "|a|b|\n", "- x\n", "St. "]


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(4, 25))).capitalize() + "."


def paragraph(rng: random.Random) -> str:
    return " ".join(sentence(rng) for _ in range(rng.randint(1, 8)))


def prose(rng: random.Random, paragraphs: int) -> list[str]:
    return [paragraph(rng) for _ in range(paragraphs)]


def markdown(rng: random.Random, paragraphs: int) -> list[str]:
    blocks = [paragraph(rng) for _ in range(paragraphs)]
    for place in rng.sample(range(paragraphs), paragraphs // 5):
        blocks[place] = f"## {sentence(rng)[:30].strip()}\n\n{blocks[place]}"
    return blocks


def wrapped(rng: random.Random, paragraphs: int) -> list[str]:
    return [paragraph(rng).replace(" ", "\n", 3) for _ in range(paragraphs)]


def chinese(rng: random.Random, paragraphs: int) -> list[str]:
    def one() -> str:
        return "".join(rng.choice(CHARACTERS) for _ in range(rng.randint(8, 40))) + "。"

    return ["".join(one() for _ in range(rng.randint(1, 8))) for _ in range(paragraphs)]


KINDS = {"prose": prose, "markdown": markdown, "wrapped": wrapped, "chinese": chinese}
SMALL = ChunkingSettings(tokens=60, overlap=15)
WHOLE_WINDOWS = ChunkingSettings(tokens=1200, overlap=100)
"""Chunks as large as the default windows."""


def chunks_of(text: str, chunking: ChunkingSettings = SMALL) -> tuple[Chunk, ...]:
    return chunk_document(Document("file:text", "", text), chunking)


def texts_lost(before: tuple[Chunk, ...], after: tuple[Chunk, ...]) -> int:
    """How many chunks of before have no equal in after."""
    return (Counter(chunk.text for chunk in before) - Counter(chunk.text for chunk in after)).total()


def assert_exact(text: str, chunks: tuple[Chunk, ...]) -> None:
    position = 0
    for chunk in chunks:
        assert chunk.text == text[chunk.span.start : chunk.span.end]
        assert chunk.text == chunk.text.strip() != ""
        assert chunk.span.start <= chunk.new_from < chunk.span.end
        assert not text[position : chunk.new_from].strip(), "nothing is lost between chunks"
        assert chunk.new_from >= position, "nothing is fresh twice"
        position = chunk.span.end
    assert not text[position:].strip()
    assert [chunk.tokens for chunk in chunks] == count_tokens([chunk.text for chunk in chunks])


@settings(deadline=None)
@given(st.text(max_size=3_000), st.integers(50, 300), st.integers(0, 400), st.sampled_from(["auto", "en", "zh", "xx"]))
def test_chunks_cover_any_text_once(text: str, tokens: int, overlap: int, language: str) -> None:
    assert_exact(text, chunks_of(text, ChunkingSettings(tokens=tokens, overlap=overlap, language=language)))


@settings(deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=400))
def test_chunks_cover_structured_text_once(parts: list[str]) -> None:
    text = "".join(parts)
    assert_exact(text, chunks_of(text))


@pytest.mark.parametrize("kind", KINDS)
def test_chunk_sizes_are_near_the_setting(kind: str) -> None:
    text = "\n\n".join(KINDS[kind](random.Random(1), 500))
    chunks = chunks_of(text, ChunkingSettings(tokens=400, overlap=40))
    assert_exact(text, chunks)
    fresh = count_tokens([text[chunk.new_from : chunk.span.end] for chunk in chunks])
    assert 0.85 * 400 < mean(fresh) < 1.1 * 400
    assert max(fresh) <= 1.5 * 400
    assert min(fresh) >= 0.4 * 400
    continued = [(chunk, count) for chunk, count in zip(chunks, fresh, strict=True) if text[chunk.new_from] != "#"]
    assert 20 < mean(chunk.tokens - count for chunk, count in continued[1:]) < 60


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_an_insertion_changes_only_chunks_near_it(kind: str) -> None:
    rng = random.Random(2)
    blocks = KINDS[kind](rng, 400)
    before = chunks_of("\n\n".join(blocks))
    assert len(before) > 200
    for place in [0] * 2 + [rng.randrange(len(blocks)) for _ in range(4)]:
        changed = [*blocks[:place], *KINDS[kind](rng, rng.randint(1, 3)), *blocks[place:]]
        lost = texts_lost(before, chunks_of("\n\n".join(changed)))
        assert lost <= (2 if place == 0 else 5)


@pytest.mark.slow
def test_a_sentence_changed_or_removed_changes_only_chunks_near_it() -> None:
    rng = random.Random(3)
    blocks = prose(rng, 300)
    before = chunks_of("\n\n".join(blocks))
    for _ in range(4):
        place = rng.randrange(len(blocks))
        for replacement in ([], [sentence(rng)]):
            changed = [*blocks[:place], *replacement, *blocks[place + 1 :]]
            assert texts_lost(before, chunks_of("\n\n".join(changed))) <= 5


@pytest.mark.slow
@pytest.mark.parametrize("kind", HUGE_BLOCKS)
def test_an_insertion_into_a_huge_block_changes_only_chunks_near_it(kind: str) -> None:
    rng = random.Random(9)
    text = HUGE_BLOCKS[kind](rng)[:50_000]
    before = chunks_of(text, WHOLE_WINDOWS)
    assert len(before) > 6
    for inserted in INSERTIONS:
        for place in (0, rng.randrange(len(text) // 3, len(text) // 2)):
            after = chunks_of(text[:place] + inserted + text[place:], WHOLE_WINDOWS)
            assert texts_lost(before, after) <= 4, "the chunk itself, and three others"


def test_text_that_repeats_itself_is_still_cut() -> None:
    text = "The same line again and again.\n\n" * 500
    chunks = chunks_of(text)
    assert_exact(text, chunks)
    assert max(count_tokens([text[chunk.new_from : chunk.span.end] for chunk in chunks])) <= 90
    assert texts_lost(chunks, chunks_of("Another line.\n\n" + text)) <= 3


def test_chunks_begin_at_headings_and_never_end_with_one() -> None:
    rng = random.Random(4)
    sections = [f"## Section {i}\n\n" + " ".join(sentence(rng) for _ in range(4)) for i in range(60)]
    text = "\n\n".join(sections)
    chunks = chunks_of(text, ChunkingSettings(tokens=100, overlap=0))
    assert len(chunks) > 20
    assert all(chunk.text.startswith("## Section") for chunk in chunks)
    assert not any(chunk.text.splitlines()[-1].startswith("##") for chunk in chunks)


def test_plain_text_heading_counts_as_heading() -> None:
    rng = random.Random(5)
    text = "\n\n".join(f"STAVE {i}\n\n" + " ".join(sentence(rng) for _ in range(4)) for i in range(60))
    chunks = chunks_of(text, ChunkingSettings(tokens=100, overlap=0))
    assert all(chunk.text.startswith("STAVE") for chunk in chunks)


def test_a_document_that_fits_is_one_chunk() -> None:
    text = "\n  The first engine failed. The second ran.\n"
    (chunk,) = chunks_of(text)
    assert chunk.text == text.strip()
    assert chunk.new_from == chunk.span.start == 3


@pytest.mark.parametrize("text", ["", "   ", "\n\t\n", "\u3000\x85\u2028"])
def test_empty_text_has_no_chunks(text: str) -> None:
    assert chunks_of(text) == ()


def test_overlap_is_whole_sentences_of_the_previous_chunk() -> None:
    text = "\n\n".join(prose(random.Random(6), 80))
    chunks = chunks_of(text)
    assert chunks[0].new_from == chunks[0].span.start
    for before, chunk in pairwise(chunks):
        repeated = text[chunk.span.start : chunk.new_from].strip()
        assert before.text.endswith(repeated)
        assert not repeated or repeated.endswith(".")
    assert sum(chunk.new_from > chunk.span.start for chunk in chunks) > len(chunks) / 2


def test_overlap_does_not_cross_a_heading() -> None:
    sections = [
        f"## Part {number}\n\nThe mill of part {number} grinds corn. " + "It is old. " * 12 for number in range(9)
    ]
    chunks = chunks_of("\n\n".join(sections), ChunkingSettings(tokens=60, overlap=15))
    assert [chunk.text.splitlines()[0] for chunk in chunks] == [f"## Part {number}" for number in range(9)]


def test_overlap_can_be_zero() -> None:
    text = "\n\n".join(prose(random.Random(7), 80))
    assert all(c.new_from == c.span.start for c in chunks_of(text, ChunkingSettings(tokens=60, overlap=0)))


def test_sentence_longer_than_a_chunk_stays_whole() -> None:
    long = "Then " + " ".join(WORDS * 4) + "."
    text = " ".join([long, "A short one.", long, "Another short one."] * 5)
    chunks = chunks_of(text, ChunkingSettings(tokens=50, overlap=0))
    assert_exact(text, chunks)
    assert any(chunk.text == long for chunk in chunks)


def test_chunking_is_deterministic() -> None:
    text = "\n\n".join(markdown(random.Random(8), 100))
    assert chunks_of(text) == chunks_of(text)


def test_chunk_of_untitled_text_ends_where_the_subject_changes() -> None:
    names = ("Ada Falk", "Jonas Brandt", "Ilse Orth", "Pavel Novak", "Clara Weiss", "Mira Stein")
    stated = [
        f"{name} was a painter of harbours. "
        + f"The painter lived by the sea for {n} years and sold a picture a week. " * 3
        for n, name in enumerate(names, 40)
    ]
    small = ChunkingSettings(tokens=60, overlap=0)
    chunks = chunk_document(Document("file:text", "", " ".join(stated)), small)
    assert [chunk.text.startswith(name) for chunk, name in zip(chunks, names, strict=True)] == [True] * len(names)
    titled = chunk_document(Document("file:text", "Painters", " ".join(stated)), small)
    assert [chunk.text for chunk in titled] != [chunk.text for chunk in chunks]


def test_overlap_does_not_cross_a_change_of_subject() -> None:
    stated = [
        f"{name} was a painter of harbours. " + " ".join(f"The {word} was sold for {n} crowns." for word in WORDS)
        for n, name in enumerate(("Ada Falk", "Jonas Brandt", "Ilse Orth"), 40)
    ]
    chunks = chunk_document(Document("file:text", "", " ".join(stated)), ChunkingSettings(tokens=60, overlap=20))
    repeats = {chunk.text.partition(" was")[0]: chunk.new_from > chunk.span.start for chunk in chunks}
    assert repeats["Jonas Brandt"] is repeats["Ilse Orth"] is False
    assert sum(repeats.values()) == len(repeats) - 3


def test_shorter_name_of_the_subject_starts_no_chunk() -> None:
    filler = "Ada Falk was a painter of harbours. She lived by the sea for years and sold a picture a week. " * 2
    text = f"{filler}Falk was a friend of sailors. {filler}Brandt was a sailor. {filler}"
    chunks = chunk_document(Document("file:text", "", text), ChunkingSettings(tokens=60, overlap=0))
    assert {chunk.text.split()[0] for chunk in chunks} >= {"Ada", "Brandt"}
    assert "Falk" not in {chunk.text.split()[0] for chunk in chunks}


@given(st.integers(0, 2**32 - 1), st.sampled_from([(60, 0), (60, 15), (250, 25)]))
@settings(max_examples=examples(40))
def test_chunks_lie_within_windows_that_do_not_depend_on_their_size(seed: int, size: tuple[int, int]) -> None:
    tokens, overlap = size
    text = "\n\n".join(markdown(random.Random(seed), 60))
    document = Document("file:text", "", text)
    windows = extraction_windows(document, ChunkingSettings(tokens=tokens, overlap=overlap))
    assert tuple(window.text for window in windows) == chunks_of(text, WHOLE_WINDOWS)
    assert_exact(text, chunks_of(text, ChunkingSettings(tokens=tokens, overlap=overlap)))
    for window in windows:
        assert window.chunks[0].new_from == window.text.new_from
        assert window.chunks[-1].span.end == window.text.span.end


def test_windows_of_one_chunk_are_read_without_a_paid_model() -> None:
    text = "\n\n".join(markdown(random.Random(3), 120))
    free = ChunkingSettings().read_by(paid=False)
    windows = extraction_windows(Document("file:text", "", text), free)
    assert [window.chunks for window in windows] == [(chunk,) for chunk in chunks_of(text, free)]
    assert all(window.text is window.chunks[0] for window in windows) and len(windows) > 10


def test_chunks_have_50_tokens_or_more() -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 50"):
        ChunkingSettings(tokens=49)


def test_code_is_not_cut_at_comments_if_it_fits() -> None:
    rng = random.Random(10)
    code = "```sh\n" + "\n\n".join(f"# install part {n}\nmake part{n}" for n in range(6)) + "\n```"
    text = "\n\n".join(part for _ in range(20) for part in (*prose(rng, 2), code))
    chunks = chunks_of(text, ChunkingSettings(tokens=200, overlap=0))
    assert_exact(text, chunks)
    assert len(chunks) > 10
    assert sum(chunk.text.count(code) for chunk in chunks) == 20


def test_list_stays_with_its_lead_in_sentence() -> None:
    rng = random.Random(11)
    items = "\n".join(f"- {sentence(rng)}" for _ in range(3))
    text = "\n\n".join(part for n in range(60) for part in (*prose(rng, 1), f"Plan {n} includes the following:", items))
    chunks = chunks_of(text, ChunkingSettings(tokens=100, overlap=0))
    assert_exact(text, chunks)
    assert len(chunks) > 40
    assert not any(chunk.text.endswith(":") for chunk in chunks)
