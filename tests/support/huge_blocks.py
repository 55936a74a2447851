"""Huge paragraphs without blank lines, of several kinds, each some 100,000 characters long."""

import random
import textwrap
from collections.abc import Callable

WORDS = "engine mill card number store wheel letter table carry column note series result order lever axle drum".split()  # noqa: SIM905
CHARACTERS = (
    "的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然"
)


def quoted_prose(rng: random.Random) -> str:
    """One line of sentences; every quotation mark that opens is not always closed."""
    frames = ["{}"] * 6 + ['"{}"', "“{}”", "“{}", "{}”", 'He said: "{}', "It's {}", "Mr. {}"]
    return " ".join(rng.choice(frames).format(f"{_words(rng, 4, 25).capitalize()}.") for _ in range(1_200))


def wrapped_prose(rng: random.Random) -> str:
    return textwrap.fill(quoted_prose(rng), 72)


def log_lines(rng: random.Random) -> str:
    """Lines without full stops."""
    return "\n".join(f"2024-03-01 {i // 60:02d}:{i % 60:02d} INFO {_words(rng, 3, 9)}" for i in range(2_000))


def few_different_lines(rng: random.Random) -> str:
    lines = [_words(rng, 3, 9) for _ in range(8)]
    return "\n".join(rng.choice(lines) for _ in range(2_700))


def one_line_again_and_again(_: random.Random) -> str:
    return "The same line again and again\n" * 3_400


def words_alone(rng: random.Random) -> str:
    return _words(rng, 18_000, 18_000)


def chinese(rng: random.Random) -> str:
    return "".join(_characters(rng, 8, 40) + rng.choice("。。。，！") for _ in range(4_000))


def chinese_without_marks(rng: random.Random) -> str:
    return _characters(rng, 100_000, 100_000)


def hexadecimal(rng: random.Random) -> str:
    return rng.randbytes(50_000).hex()


def table_row(rng: random.Random) -> str:
    return "| " + " | ".join(_words(rng, 1, 6) for _ in range(4_500)) + " |"


HUGE_BLOCKS: dict[str, Callable[[random.Random], str]] = {
    kind.__name__: kind
    for kind in (
        quoted_prose,
        wrapped_prose,
        log_lines,
        few_different_lines,
        one_line_again_and_again,
        words_alone,
        chinese,
        chinese_without_marks,
        hexadecimal,
        table_row,
    )
}
INSERTIONS = ("A new sentence stands here. ", '"', "“", "x", "一个新的句子。", "one two, three four; " * 60, "\n")


def _words(rng: random.Random, least: int, most: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(least, most)))


def _characters(rng: random.Random, least: int, most: int) -> str:
    return "".join(rng.choice(CHARACTERS) for _ in range(rng.randint(least, most)))
