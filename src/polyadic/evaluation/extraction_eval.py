"""How much of what annotators marked an extractor finds: HyperRED's n-ary facts, Re-DocRED's mentions.

Both data sets hold tokenised text ("Wolfville , Nova Scotia , Canada", "master ' s"). An extractor reads it put
together again (:func:`detokenised`), and names are compared by their letters and digits alone, case folded and
without a leading article (:func:`letters`), so that spaces around punctuation decide nothing. Nothing else is
forgiven: "World Music Awards 2014" does not find "World Music Awards".

A pronoun is marked as a participant in HyperRED where the sentence has nothing better. Extractors that give names
leave pronouns out on purpose; they are therefore counted apart, neither found nor missed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polyadic.model.identity import entity_key
from polyadic.text.stopwords import PRONOUNS

_BEFORE = re.compile(r" (?=[,.;:!?%)\]}])")
_AFTER = re.compile(r"(?<=[(\[{$£€]) ")
_APOSTROPHE = re.compile(r" ?(['’]) ?(?=(?:s|t|d|m|re|ve|ll)\b)|(?<=\b[A-Za-z]) (['’]) (?=[A-Z])")
_DASH = re.compile(r"(?<=\w) ([-–/]) (?=\w)")
_NOT_A_LETTER = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class ExtractionTally:
    """Counts over gold sentences; add them up, then read the shares."""

    participants: int = 0
    found: int = 0
    pronouns: int = 0
    facts: int = 0
    whole: int = 0
    given: int = 0
    given_facts: int = 0

    def __add__(self, other: "ExtractionTally") -> "ExtractionTally":
        return ExtractionTally(
            self.participants + other.participants,
            self.found + other.found,
            self.pronouns + other.pronouns,
            self.facts + other.facts,
            self.whole + other.whole,
            self.given + other.given,
            self.given_facts + other.given_facts,
        )

    @property
    def participant_recall(self) -> float:
        """The share of gold participants, pronouns apart, that take part in a fact of their sentence."""
        return self.found / self.participants if self.participants else 0.0

    @property
    def fact_recall(self) -> float:
        """The share of gold facts whose participants, pronouns apart, all take part in one fact."""
        return self.whole / self.facts if self.facts else 0.0

    @property
    def arity(self) -> float:
        """Participants a fact that was given: recall is cheap where everything is a participant."""
        return self.given / self.given_facts if self.given_facts else 0.0


def detokenised(text: str) -> str:
    """Tokenised text as it was probably written.

    >>> detokenised("the master ' s level ( Wolfville , Nova Scotia ) , 1997 - 8 , Palme d ' Or .")
    "the master's level (Wolfville, Nova Scotia), 1997-8, Palme d'Or."
    """
    joined = _APOSTROPHE.sub(lambda match: match.group(1) or match.group(2), text)
    return _DASH.sub(r"\1", _AFTER.sub("", _BEFORE.sub("", joined)))


def letters(name: str) -> str:
    """What is compared of a name: letters and digits, case folded, without a leading article.

    >>> letters("The Palme d ' Or") == letters("Palme d'Or")
    True
    """
    return _NOT_A_LETTER.sub("", entity_key(name))


def compare_facts(gold: Iterable[Sequence[str]], given: Iterable[Sequence[str]]) -> ExtractionTally:
    """Compare the facts marked in one sentence with those extracted from it, each a list of participants.

    >>> tally = compare_facts([("He", "Palme d ' Or", "1992")], [("Palme d'Or", "Bille August", "1992")])
    >>> tally.participant_recall, tally.fact_recall, tally.pronouns
    (1.0, 1.0, 1)
    """
    facts = [frozenset(name for name in fact) for fact in gold]
    extracted = [frozenset(letters(name) for name in fact) for fact in given]
    names = frozenset[str]().union(*facts)
    pronouns = frozenset(name for name in names if name.lower() in PRONOUNS)
    wanted = [frozenset(letters(name) for name in fact - pronouns) for fact in facts]
    anywhere = frozenset[str]().union(*extracted)
    return ExtractionTally(
        participants=len(names - pronouns),
        found=sum(letters(name) in anywhere for name in names - pronouns),
        pronouns=len(pronouns),
        facts=len(facts),
        whole=sum(any(fact <= own for own in extracted) for fact in wanted),
        given=sum(len(own) for own in extracted),
        given_facts=len(extracted),
    )


def mention_recall(gold: Iterable[str], given: Iterable[str]) -> tuple[int, int]:
    """Of the mentions marked in one sentence, how many were given as participants, and how many there are.

    >>> mention_recall(["Salt Lake City", "two"], ["Salt Lake City"])
    (1, 2)
    """
    found = {letters(name) for name in given}
    marked = [name for name in gold if name.lower() not in PRONOUNS]
    return sum(letters(name) in found for name in marked), len(marked)
