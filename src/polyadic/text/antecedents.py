"""What the pronouns of a question may refer to, and whether a question asks for a person.

Both decide by function words which name of an earlier question or answer a pronoun can stand for.
"""

from enum import StrEnum

from polyadic.text.anaphoric_words import (
    ANAPHORA,
    COPULAS,
    PERSONAL,
    QUESTION_TOKEN,
    SCRIPT_ANAPHORA,
    SCRIPT_IDENTITY,
    WHO,
)


class Antecedent(StrEnum):
    """What the pronouns of a question may refer to."""

    THING = "thing"
    PERSON = "person"
    EITHER = "either"


class Asked(StrEnum):
    """Whether a question asks for a person."""

    IDENTITY = "identity"
    """Identity of a named person: "Who was Ada Lovelace?"."""
    PERSON = "person"
    """An unnamed person: "Who founded Natrion?"."""
    OTHER = "other"


def antecedent(question: str, language: str) -> Antecedent:
    """Return what the pronouns of a question may refer to; in languages with grammatical gender often either.

    >>> [antecedent(*of).value for of in (("Where was she born?", "en"), ("When was it built?", "en"))]
    ['person', 'thing']
    >>> antecedent("Wo wurde sie geboren?", "de")
    <Antecedent.EITHER: 'either'>
    """
    known, personal = ANAPHORA.get(language), PERSONAL.get(language, frozenset())
    if language in SCRIPT_ANAPHORA:
        person = any(pronoun in question for pronoun in personal)
        return Antecedent.PERSON if person and "他们" not in question else Antecedent.THING
    tokens = {token.lower() for token in QUESTION_TOKEN.findall(question)}
    if tokens & personal:
        return Antecedent.PERSON
    if known is None or language == "en":
        return Antecedent.THING
    either = known.drops_subject or tokens & (known.pronouns | known.possessives)
    return Antecedent.EITHER if either else Antecedent.THING


def asked(question: str, language: str) -> Asked:
    """Return whether a question asks for a person, or for the identity of a named person.

    >>> [asked(question, "en").value for question in ("Who was Ada?", "Who was the first king?", "When was it?")]
    ['identity', 'person', 'other']
    """
    who = WHO.get(language, frozenset())
    if language in SCRIPT_ANAPHORA:
        if not any(word in question for word in who):
            return Asked.OTHER
        return Asked.IDENTITY if SCRIPT_IDENTITY.fullmatch(question) else Asked.PERSON
    tokens = QUESTION_TOKEN.findall(question)
    at = next((at for at, token in enumerate(tokens) if token.lower() in who), None)
    if at is None:
        return Asked.OTHER
    copula, *rest = tokens[at + 1 : at + 3] or [""]
    named = rest and rest[0][0].isupper()
    return Asked.IDENTITY if named and copula.lower() in COPULAS.get(language, ()) else Asked.PERSON
