"""Notes without full stops are one sentence per line; prose, verses, code and addresses are not cut at line ends."""

import pytest

from polyadic.text.sentences import sentences

NOTES = [
    "Keys: with Anna\nbin day is Tuesday\nWifi password is on the fridge\nCat eats twice a day\nVet: Dr. Roth, 4455",
    "Monday: pasta\nTuesday: soup",
    "Milk\nEggs\nBread\nButter",
    "2 eggs\n200 g flour\n1 pinch of salt\nMilk as needed",
    "Decision: we use Postgres\nReason: the team knows it\nOpen question: who does it?\nNext meeting 12 March",
    "Anna Kern moved to Ulm in 2019\nHer brother lives in Bern\nThey own the Marlin\nThe boat is kept in Lindau",
    "Idee: Fahrräder vermieten\nKosten etwa 5000 Euro\nPlatz hinter dem Bahnhof\nFrau Roth kennt jemanden beim Amt",
]
PROSE = [
    "The relay was built in Ulm by Karl\nMeier and Anna Kern, who had studied\nthere and later moved to Bern.",
    "Der Bau der Mühle begann im Jahr\n1840 unter Leitung von Karl Roth\nSohn des Müllers und Erbauer der\nBrücke.",
    "The Corresponding Source needs no part that users\ncan regenerate automatically from the Corresponding\nSource.",
    "Policy 17\nWarnings are printed if the policy is not set\nThey stop as soon as it is set to a value\nof its own.",
    "Peer\n   A machine that is connected\n   Its address is known",
    "Two roads diverged in a yellow wood,\nAnd sorry I could not travel both\nAnd be one traveler, long I stood\n"
    "And looked down one as far as I could\nTo where it bent in the undergrowth;",
    "    Port: 80\n    Host: relay\n    Mode: fast",
    "Tim Meier\nWorld Mill Consortium\n77 Mill Avenue\nCambridge, MA 02139",
    "Network Working Group   A. Kern\nCategory: Memo          Ulm\nUpdates: 17             May 1843",
    "这是一个很长的段落其中每一行都\n写满了并且在同样的宽度换行所以\n它是普通的文章",
]


def split(text: str, language: str = "en") -> list[str]:
    return [text[span.start : span.end] for span in sentences(text, language)]


@pytest.mark.parametrize("notes", NOTES)
def test_each_line_of_notes_is_a_sentence(notes: str) -> None:
    text = f"# Title\n\n{notes}\n\nThe end."
    assert split(text) == ["# Title", *notes.split("\n"), "The end."]


@pytest.mark.parametrize("prose", PROSE)
def test_lines_that_belong_together_stay_in_one_sentence(prose: str) -> None:
    assert split(f"Before.\n\n{prose}\n\nAfter.") == ["Before.", prose.strip(), "After."]


def test_two_sentences_of_a_line_of_notes_are_separate() -> None:
    lines = ["Ask Anna about the boat", "Ben is away until Monday", "The key is lost. Call Roth", "Pump is in the shed"]
    assert split("\n".join([*lines, "Soup at one"]))[2:4] == ["The key is lost.", "Call Roth"]


def test_fenced_code_is_one_sentence_between_notes() -> None:
    code = "```sh\nPORT=80\nMake all\nMake install\n```"
    assert split(f"Port: 80\nHost: relay\n{code}\nMode: fast\nUser: ben") == [
        "Port: 80", "Host: relay", code, "Mode: fast", "User: ben",
    ]  # fmt: skip
