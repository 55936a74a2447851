"""Questions for all items of a kind are told from those for one item."""

import pytest

from polyadic.text.list_questions import list_question

LISTS = {
    "List all museums that the documents describe.": ("museum", "museums"),
    "Name all of the rockets that launched people": ("rocket", "rockets that launched people"),
    "Which women have walked in space? List them all.": ("woman", "women have walked in space"),
    "What were the lunar modules of Apollo called? Name them all.": ("module", "lunar modules of Apollo"),
    "Which Soyuz spacecraft flew to Salyut 6? Name them all.": ("spacecraft", "Soyuz spacecraft flew to Salyut 6"),
    "Who was the first of a country? Name all of them.": ("person", "Who was the first of a country"),
    "Please give me all buses of the city.": ("bus", "buses of the city"),
    "Nenne alle Schiffe, die Kapseln bargen.": ("schiffe", "Schiffe, die Kapseln bargen"),
    "Liste alle alten Museen auf": ("museen", "alten Museen"),
    "Enumera todos los barcos de la marina": ("barcos", "barcos de la marina"),
    "Citez tous les navires de la marine": ("navires", "navires de la marine"),
}
PLURALS = {
    "Which ships recovered capsules?": "ship",
    "Which universities are in Ohio?": "university",
    "What are the Shuttle missions to Mir?": "mission",
    "Which US Navy ships recovered capsules?": "ship",
    "Which bus lines go to the clinic?": "line",
    "Which bus lines cross Arden?": "line",
    "Which bus stops at Mill Street have a roof?": "stop",
    "Which garden tools can I borrow?": "tool",
    "Which companies work for us?": "company",
    "What are the opening hours?": "hour",
    "List the suppliers.": "supplier",
    "Please name the school buses": "bus",
}
OTHERS = """
Which ship recovered Apollo 13?
Which two ships recovered capsules?
Which of the ships is the oldest?
Which spacecraft did Alexei Leonov fly?
What is the bus line to the museum?
What series did Ada watch?
Which company supplies the pumps?
Which bus goes to the clinic?
Which bus stops at Market Square?
Which bus stops at the harbour, which trains are late?
Which shop sells bread?
Which person owns boats?
Which lens fits the camera?
Which department handles complaints that are older than a year?
What happens if the valve is left open?
Name the company that supplies all pumps.
Name the buses of the clinics
Welche Firma liefert die Pumpen?
Welcher Bus fährt zu allen Kliniken?
Nenne die Firma, die alle Pumpen liefert.
Who was the first person in space?
Who commanded all missions?
How many ships recovered capsules?
Are all ships grey?
When were the ships built?
What is all this about?
Where are ships built, and name the yard.
List
Name all
Nenne alle _
Lista todas las ___
"""


@pytest.mark.parametrize("question", LISTS)
def test_questions_that_say_all_ask_for_a_list(question: str) -> None:
    asked = list_question(question)
    assert asked is not None and asked.asks_for_all
    assert (asked.kind, asked.phrase) == LISTS[question]


@pytest.mark.parametrize("question", PLURALS)
def test_plural_suggests_a_list(question: str) -> None:
    asked = list_question(question)
    assert asked is not None and not asked.asks_for_all
    assert asked.kind == PLURALS[question]


@pytest.mark.parametrize("question", [*OTHERS.strip().splitlines(), "", "?", "List all " + "x" * 400])
def test_other_questions_do_not(question: str) -> None:
    assert list_question(question) is None
