"""Generate docs/quality-ordinary.md: ``python -m benchmarks.ordinary [FOLDER]``.

It measures retrieval and answers on two sets of ordinary documents: those of ``benchmarks.ordinary.documents``, which
are fetched into FOLDER, and the folder ``ordinary`` of POLYADIC_DATA. FOLDER keeps the documents and the filled
workspaces for the next run.
"""

from benchmarks.holdout_log import note_look
from benchmarks.ordinary.section import HEADING, PAGE, section
from benchmarks.report_sections import given_folder, rewrite


def main() -> None:
    note_look("`benchmarks.ordinary`")
    with given_folder() as folder:
        rewrite(PAGE, HEADING, section(folder))


if __name__ == "__main__":
    main()
