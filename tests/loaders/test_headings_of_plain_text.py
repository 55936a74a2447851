"""Headings and page headers of plain text."""

from pathlib import Path

from polyadic.loaders.formats.plain_text import plain_document


def test_numbered_headings_may_stand_directly_above_their_text() -> None:
    lease = (
        "§ 1 Miete\nDie Miete beträgt 700 Euro. Sie ist am Ersten eines jeden Monats fällig.\n\n"
        "§ 2 Tiere\nHunde sind nicht erlaubt.\n\n§ 3 Frist\nDie Frist beträgt drei Monate.\n"
    )
    assert plain_document(Path("lease.txt"), lease).text == lease.replace("§", "## §")
    policy = (
        "SECTION A - COVER\nA.1 We cover fire.\n\nSECTION B - CLAIMS\nB.1 Report a theft.\n\n"
        "SECTION C - PREMIUM\nIt is due in May of each year.\n"
    )
    assert plain_document(Path("policy.txt"), policy).text == policy.replace("SECTION", "## SECTION")


def test_page_headers_with_numbers_are_removed_from_two_pages() -> None:
    pages = [
        f"CARADON HOME INSURANCE\nPolicy HC-7          Page {page} of 2\n\n{text}\n\n"
        for page, text in ((1, "We cover fire.\nWe cover theft."), (2, "Claims are paid.\nThey are paid in May."))
    ]
    text = plain_document(Path("policy.txt"), "".join(pages)).text
    assert text.count("CARADON") == text.count("HC-7") == 1
    assert "Page 2" not in text
    assert text.strip().endswith("We cover fire.\nWe cover theft.\n\nClaims are paid.\nThey are paid in May.")
