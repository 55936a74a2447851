"""Signs that a sentence holds the kind of answer that a question asks for: a number, a date, a reason, a definition."""

import re

from polyadic.retrieval.relevance.question_features import AnswerKind, QuestionFeatures

_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion|half|once|twice"
    "|eins?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|hundert|tausend|dreißig|zwanzig|vierzehn"
    "|uno?a?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|quince|veinte|treinta|cien|mil"
    "|deux|trois|quatre|cinq|sept|huit|neuf|dix|vingt|cent|mille"
)
_NUMBER = re.compile(
    rf"\d|\b(?:{_NUMBER_WORDS})\b|[一二三四五六七八九十百千万两]+[个年月日天次人条元岁倍%]", re.IGNORECASE
)
_DATE = re.compile(
    r"\b1\d{3}\b|\b20\d\d\b|\d年|\b(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december"
    r"|januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|mayo|junio|julio|agosto|septiembre"
    r"|octubre"
    r"|noviembre|diciembre|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century|\d{1,2}:\d\d)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-ZÄÖÜÁÉÍÓÚÑÇ][\w'’-]+")
_PLACE = re.compile(
    r"\b(?:in|at|from|near|to|within|into|under|nach|aus|bei|en|desde|à|dans|located|directory|folder|/[\w.-]+)\b"
    r"|/\w+/|在|于|位于",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"\b(?:is|are|was|were)\s+(?:an?|the|any|one|those|defined)\b|\bmeans?\b|\brefers? to\b|\bdefined as\b"
    r"|\bstands for\b"
    r"|\bcalled\b|\bis used\b|\b(?:ist|sind)\s+(?:ein|eine|einer|der|die|das|jede)\b|\bbezeichnet\b|\bgilt als\b"
    r"|\bim sinne\b"
    r"|\b(?:es|son)\s+(?:un|una|el|la|los|las)\b|\bse entiende\b|\best un|是指|是一|，是|とは|である|^[^:]{1,60}:\s",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\bbecause\b|\bsince\b|\bdue to\b|\bso that\b|\bin order to\b|\breasons?\b|\btherefore\b|\bweil\b|\bda\b"
    r"|\bdamit\b|\bwegen\b"
    r"|\bporque\b|\bdebido\b|\bparce que\b|\bcar\b|因为|由于|所以|ため|から",
    re.IGNORECASE,
)
_MANNER = re.compile(
    r"\bby\b|\busing\b|\bwith\b|\buse[sd]?\b|\brun\b|\bcommand\b|\boption\b|\bclick\b|\btype\b|\bset\b|\bmust\b"
    r"|\bshould\b|`|(?:^|\s)--?\w"
    r"|\bdurch\b|\bmittels\b|\bindem\b|\bmit\b|\bmediante\b|\bcon\b|\bpara\b|通过|用|应当",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"\bnot\b|n['’]t\b|\bmust\b|\bmay\b|\bnever\b|\balways\b|\bonly\b|\bno\b|\bneither\b|\bcannot\b|\bcan\b"
    r"|\bdisabled\b|\benabled\b"
    r"|\bdefault\b|\brequired\b|\ballowed\b|\bpermitted\b|\bprohibited\b|\bnicht\b|\bkein\w*\b|\bdarf\b|\bmuss\b"
    r"|\bno\b|\bnunca\b"
    r"|\bpuede\b|\bdebe\b|不|可以|应当|必须|禁止",
    re.IGNORECASE,
)
_SIGNS: dict[AnswerKind, re.Pattern[str]] = {
    AnswerKind.NUMBER: _NUMBER,
    AnswerKind.DATE: _DATE,
    AnswerKind.PLACE: _PLACE,
    AnswerKind.REASON: _REASON,
    AnswerKind.MANNER: _MANNER,
    AnswerKind.DEFINITION: _DEFINES,
    AnswerKind.YES_NO: _VERDICT,
}
_FEW_NEW_WORDS = 4


def answer_signs(asked: QuestionFeatures, text: str, text_stems: frozenset[str]) -> dict[str, float]:
    """Whether a sentence has what the question asks for, and says more than the question does.

    Parameters
    ----------
    asked
        The question.
    text
        The sentence.
    text_stems
        The stems of its words.

    Returns
    -------
    dict of str to float
        ``novelty``, for a definition ``defines_subject``, and the one of the features ``asks_*`` that is for the kind
        of the question; each in [0, 1].
    """
    new = text_stems - asked.everything - asked.function_words
    signs = {"novelty": min(1.0, len(new) / _FEW_NEW_WORDS)}
    kind = asked.kind
    if kind is AnswerKind.PERSON:
        names = {name.lower() for name in _NAME.findall(text)} - asked.everything
        signs["asks_person"] = float(bool(asked.stems(" ".join(names)) - asked.everything))
    elif kind in _SIGNS:
        column = "asks_verdict" if kind is AnswerKind.YES_NO else f"asks_{kind.value}"
        signs[column] = float(_SIGNS[kind].search(asked.without_its_numbers(text)) is not None)
    if kind is AnswerKind.DEFINITION:
        cue = _DEFINES.search(text)
        head = asked.stems(text[: cue.start()]) if cue else frozenset[str]()
        signs["defines_subject"] = len(head & set(asked.content)) / max(1, len(asked.content)) if cue else 0.0
    return signs
