"""Numbered headings of plain text, also those on the first line of their paragraph."""

from pathlib import Path

from polyadic.loaders.formats.plain_text import plain_document
from polyadic.text.headings import headings

LICENCE = """                       Harbour Licence

   1. Definitions.

      "Work" shall mean the text.

   2. Grant of Copyright License. Subject to the terms of
      this License, You may copy the Work.

   3. Redistribution. You may give
      copies to others.

   4. You may not charge a fee. You may ask
      for help.

   END OF TERMS AND CONDITIONS

   Attach a notice.
"""


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


def test_titled_clauses_are_sections() -> None:
    text = plain_document(Path("LICENCE"), LICENCE).text
    found = [heading.words for heading in headings(text)]
    assert found == [
        "Harbour Licence",
        "Definitions.",
        "Grant of Copyright License.",
        "Redistribution.",
        "END OF TERMS AND CONDITIONS",
    ]
    assert "   Subject to the terms of\n      this License" in text


def test_references_and_steps_are_no_clauses() -> None:
    references = "1. Knuth D. The Art\nof it.\n\n2. Smith, Ada. The Mill\nof it.\n\n3. Roe J. The End\nof it.\n"
    steps = "1. Open the lid. The lamp\nis on.\n\n2. Press a key. It\nstarts.\n\n3. Close it now. It\nstops.\n"
    assert "#" not in plain_document(Path("a.txt"), references).text + plain_document(Path("b.txt"), steps).text
