"""What an answer claims, and which markers each claim has."""

import pytest

from polyadic.generation.cited_claims import cited_claims


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Ada wrote. [1] Bob read. [2]", [("Ada wrote", [1]), ("Bob read", [2])]),
        ("Ada wrote.[1] Bob read.[2]", [("Ada wrote", [1]), ("Bob read", [2])]),
        ("Ada wrote [1]. Bob [2] read.", [("Ada wrote", [1]), ("Bob read", [2])]),
        ("艾达写了它。[1]鲍勃读了它[2]。", [("艾达写了它", [1]), ("鲍勃读了它", [2])]),
        ("[1] Ada wrote, Bob read", [("Ada wrote, Bob read", [1])]),
        ("- Ada [1]\n- Bob [2]", [("Ada", [1]), ("Bob", [2])]),
        ("| Ada | 1843 [1] |\n| Bob | 1850 [2] |", [("Ada | 1843", [1]), ("Bob | 1850", [2])]),
        ("| Ada | wrote [1] | 3 |", [("Ada | wrote", [1])]),
        ("Ada wrote it [1][2], [1].", [("Ada wrote it", [1, 2])]),
        ("Ada wrote it [1], and Bob read it.", [("Ada wrote it", [1])]),
        ("Ada wrote it [1] and Eve sold it [2].", [("Ada wrote it", [1]), ("and Eve sold it", [2])]),
        ("According to [1] Ada wrote it.", [("According to Ada wrote it", [1])]),
        ("Ada wrote it.\n\n[1]", [("Ada wrote it", [1])]),
        ("**Ada** [1]: wrote", [("Ada", [1])]),
        ("1. Ada wrote [1]\n2. Bob read [2]", [("Ada wrote", [1]), ("Bob read", [2])]),
        ("12. April 1843 [1]", [("12. April 1843", [1])]),
        ("- **Early work**: Ada wrote [1]\n- **Later life:** Bob read [2]", [("Ada wrote", [1]), ("Bob read", [2])]),
        ("**Early work** – Ada wrote [1]", [("Ada wrote", [1])]),
        ("- Ada: wrote [1]\n- Bob Holm: read [2]", [("Ada: wrote", [1]), ("Bob Holm: read", [2])]),
        ("- In 1843: Ada wrote [1]", [("In 1843: Ada wrote", [1])]),
        ("Ada wrote a letter: Bob read it [1]", [("Ada wrote a letter: Bob read it", [1])]),
        ("- Early work [1]", [("Early work", [1])]),
        ("Ada [1](there), in [2019] [3]", []),
        ("[1][2]", [("", [1, 2])]),
        ("", []),
    ],
)
def test_claims_and_their_markers(text: str, claims: list[tuple[str, list[int]]]) -> None:
    found = cited_claims(text, 2, "en")
    assert [(claim.text, [marker.number for marker in claim.markers]) for claim in found] == claims


def test_a_claim_is_shown_with_its_label_and_found_with_it() -> None:
    text = "1. Early work: Ada wrote [1]"
    (claim,) = cited_claims(text, 1, "en")
    assert (text[claim.span.start : claim.span.end], claim.sentence) == (
        "Early work: Ada wrote",
        "Early work: Ada wrote",
    )


def test_a_claim_knows_its_sentence_and_the_one_before() -> None:
    _, second = cited_claims("Ada was born in London. She wrote it [1] and died in 1852 [2].", 2, "en")
    assert (second.text, second.sentence, second.before) == (
        "and died in 1852",
        "She wrote it and died in 1852.",
        "Ada was born in London.",
    )
