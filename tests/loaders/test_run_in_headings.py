"""Clauses of licences and contracts whose headings stand on the first line of their text."""

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
