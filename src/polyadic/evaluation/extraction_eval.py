"""Evaluate the recall of extraction against the annotations of HyperRED (n-ary facts) and Re-DocRED (mentions).

Both data sets hold tokenized text ("Wolfville , Nova Scotia , Canada", "master ' s"). Extractors read detokenized text
(:func:`detokenized`). Names are compared by their letters and digits only, case folded and without a leading article
(:func:`letters`), so that spaces around punctuation do not matter. Otherwise names must be equal: "World Music Awards
2014" does not match "World Music Awards".

HyperRED annotates a pronoun as a participant if the sentence contains no name for it. Extractors omit pronouns on
purpose, so these are counted separately, as neither found nor missed.
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
    """Counts over gold sentences; tallies can be added.

    Attributes
    ----------
    participants, facts
        Gold participants without pronouns, and gold facts.
    found, whole
        Gold participants and gold facts that were extracted.
    pronouns
        Gold participants that are pronouns.
    given, given_facts
        Extracted participants and facts.
    """

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
        """Share of gold participants, without pronouns, that were extracted from their sentence."""
        return self.found / self.participants if self.participants else 0.0

    @property
    def fact_recall(self) -> float:
        """Share of gold facts whose participants, without pronouns, all occur in one extracted fact."""
        return self.whole / self.facts if self.facts else 0.0

    @property
    def arity(self) -> float:
        """Mean participants per extracted fact; high recall is easy if everything is a participant."""
        return self.given / self.given_facts if self.given_facts else 0.0


def detokenized(text: str) -> str:
    """Detokenize a text to its probable original form.

    >>> detokenized("the master ' s level ( Wolfville , Nova Scotia ) , 1997 - 8 , Palme d ' Or .")
    "the master's level (Wolfville, Nova Scotia), 1997-8, Palme d'Or."
    """
    joined = _APOSTROPHE.sub(lambda match: match.group(1) or match.group(2), text)
    return _DASH.sub(r"\1", _AFTER.sub("", _BEFORE.sub("", joined)))


def letters(name: str) -> str:
    """Reduce a name to its letters and digits, case folded, without a leading article.

    >>> letters("The Palme d ' Or") == letters("Palme d'Or")
    True
    """
    return _NOT_A_LETTER.sub("", entity_key(name))


def compare_facts(gold: Iterable[Sequence[str]], given: Iterable[Sequence[str]]) -> ExtractionTally:
    """Compare the annotated facts of one sentence with the extracted ones, each a list of participants.

    >>> tally = compare_facts([("He", "Palme d ' Or", "1992")], [("Palme d'Or", "Bille August", "1992")])
    >>> tally.participant_recall, tally.fact_recall, tally.pronouns
    (1.0, 1.0, 1)
    """
    facts = [frozenset(name for name in fact) for fact in gold]
    extracted = [frozenset(letters(name) for name in fact) for fact in given]
    names = frozenset[str]().union(*facts)
    pronouns = frozenset(name for name in names if name.lower() in PRONOUNS)
    gold_facts = [frozenset(letters(name) for name in fact - pronouns) for fact in facts]
    all_extracted = frozenset[str]().union(*extracted)
    return ExtractionTally(
        participants=len(names - pronouns),
        found=sum(letters(name) in all_extracted for name in names - pronouns),
        pronouns=len(pronouns),
        facts=len(facts),
        whole=sum(any(fact <= participants for participants in extracted) for fact in gold_facts),
        given=sum(len(participants) for participants in extracted),
        given_facts=len(extracted),
    )


def mention_recall(gold: Iterable[str], given: Iterable[str]) -> tuple[int, int]:
    """Return how many annotated mentions of one sentence were extracted, and how many there are, without pronouns.

    >>> mention_recall(["Salt Lake City", "two"], ["Salt Lake City"])
    (1, 2)
    """
    extracted = {letters(name) for name in given}
    mentions = [name for name in gold if name.lower() not in PRONOUNS]
    return sum(letters(name) in extracted for name in mentions), len(mentions)
