"""What a question asks for: its content words and the kind of its answer."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from polyadic.retrieval.relevance.stemming import stem, stems, tokens
from polyadic.text.dates import dates_in, with_days
from polyadic.text.language import detect_language
from polyadic.text.stopwords import likely_function_words
from polyadic.text.stopwords import words as listed
from polyadic.text.words import WORD

_MOST_WORDS = 60
# A question that names something and has more content words than this often needs several documents.
_LONGEST_OF_ONE_DOCUMENT = 6
_YEAR = re.compile(r"\d{4}")
_MEANING = listed(
    "mean means meaning meant stand stands definition define defined term bedeutet bedeutung heißt versteht "
    "begriff significa significado signifie"
)


class AnswerKind(StrEnum):
    """What kind of thing answers a question."""

    PERSON = "person"
    PLACE = "place"
    DATE = "date"
    NUMBER = "number"
    REASON = "reason"
    MANNER = "manner"
    DEFINITION = "definition"
    YES_NO = "yes or no"
    OTHER = "other"


# The first that matches counts. Text is in lower case.
_KINDS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (
            AnswerKind.NUMBER,
            r"\bhow (?:many|much|long|old|far|fast|large|big|often|high|tall|deep|wide|heavy|soon|late|early|quickly)\b"
            r"|\bwhat (?:\w+ ){0,2}(?:number|percentage|percent|proportion|share|price|fee|cost|size|length|height"
            r"|limit"
            r"|maximum|minimum|port|age|majority|amount|rate|temperature|speed|deadline|period|duration|population)\b"
            r"|\bwithin (?:how|what|which)\b|\bcosts?\b.*\?$"
            r"|\bwie\s?(?:viele?n?|lange?|hoch|groß|oft|alt|weit|schnell|teuer|tief|breit|schwer)\b"
            r"|\bwelche[rs]? frist\b"
            r"|\bcu[aá]nt[oa]s?\b|\bcombien\b|\bquant[oiae]\b|\bquantos\b|\bhoeveel\b"
            r"|多少|几[个天年月日次条人]|多[长久大高远快]|最[长高低大小多少短]|何[人年日回個円]|いくつ|いくら|どれくらい",
        ),
        (
            AnswerKind.DATE,
            # Later in a question "when" says under what condition.
            r"^(?:\W*\w+\W+){0,2}when\b|[,;]\s*when\b|\b(?:since|until|by|exactly) when\b"
            r"|\b(?:what|which|in what|in which) (?:year|date|day|month|century|decade|time)\b"
            r"|\bwann\b|\bwelche[msrn]? (?:jahr|tag|monat|datum)\b|\bcu[aá]ndo\b|\bqu[eé] (?:año|fecha|d[ií]a)\b"
            r"|\bquand\b|\bquando\b|\bwanneer\b|何时|何時|什么时候|哪一?[年天日月]|いつ|何年",
        ),
        (
            AnswerKind.DEFINITION,
            # "What is a hard link?", but not "What is the limit of links?", which asks for something of a thing.
            r"^(?:what|who) (?:is|are|was|were) (?:an? |the |meant by )?"
            r"(?:(?!\b(?:of|for|in|on|at|by|from|to|between|with|when|if|that|which)\b|['’]s\b)[^,?]){2,60}\?*$"
            r"|\bwhat does\b.*\b(?:mean|stand for)\b|\bdefin(?:e|ition)\b|\bmeaning of\b"
            r"|^was (?:ist|sind|bedeutet|heißt|versteht)\b|^qu[eé] (?:es|son"
            r"|significa)\b"
            r"|^qu'est-ce\b|^cos['’]è\b|^o que é\b|什么是|是什么|是指|とは",
        ),
        (
            AnswerKind.PERSON,
            r"\bwho(?:m|se)?\b|\bwer\b|\bwen\b|\bwem\b|\bwessen\b|\bqui[eé]n(?:es)?\b|\bqui\b|\bchi\b|\bquem\b"
            r"|\bwie is\b"
            r"|谁|誰|哪位|哪个人|だれ",
        ),
        (
            AnswerKind.PLACE,
            r"\bwhere\b|\b(?:what|which) (?:country|city|town|state|place|county|district|region|file|directory"
            r"|folder)\b"
            r"|\bwo(?:hin|her)?\b|\bd[oó]nde\b|\boù\b|\bdove\b|\bonde\b|\bwaar\b|哪里|哪儿|哪个(?:国家|城市|地方|省)|在哪|どこ",
        ),
        (
            AnswerKind.REASON,
            r"\bwhy\b|\bwarum\b|\bweshalb\b|\bwieso\b|\bpor qu[eé]\b|\bpourquoi\b|\bperch[eé]\b"
            r"|为什么|为何|なぜ|どうして",
        ),
        (
            AnswerKind.MANNER,
            r"\bhow\b|\bwie\b|\bc[oó]mo\b|\bcomment\b|\bcome\b|\bhoe\b|如何|怎么|怎样|どう|どのよう"
            r"|\bwhich (?:command|option|flag|function|key|setting)\b|\bwhat (?:command|option|flag|function|key"
            r"|setting)\b",
        ),
        (
            AnswerKind.YES_NO,
            r"^(?:is|are|was|were|do|does|did|can|could|may|must|shall|should|will|would|has|have|had|am)\b"
            r"|^(?:ist|sind|war|darf|dürfen|kann|können|muss|müssen|soll|hat|haben|wird|gibt|gilt|braucht)\b"
            r"|^¿?(?:es|son|puede|pueden|debe|deben|hay|tiene|tienen|está)\b|^est-ce\b|吗[？?]?$|是否|能否|可否"
            r"|^(?!.*(?:何|どれ|どの|どちら)).*(?:ます|です)か",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class QuestionFeatures:
    """A question as the features read it.

    ``content`` are the stems of its content words, in order; ``codes`` those of them that hold a digit or a mark, such
    as ``--flag``, ``823`` or ``utf-8``; ``everything`` the stems of all its words. ``names_days`` tells whether it
    names a day, which is one word then, however it is written.
    """

    text: str
    language: str
    kind: AnswerKind
    content: tuple[str, ...]
    codes: frozenset[str]
    everything: frozenset[str]
    function_words: frozenset[str]
    names_days: bool = False
    is_nameless: bool = False

    @property
    def may_need_several_documents(self) -> bool:
        """Whether it names something and is long: a sentence that completes the answer then seldom answers alone."""
        return not self.is_nameless and len(self.content) > _LONGEST_OF_ONE_DOCUMENT

    @property
    def subject(self) -> frozenset[str]:
        """The stems of what a definition is asked of: its content words but those that ask for a meaning."""
        return frozenset(self.content) - stems(_MEANING, self.language)

    def stems(self, text: str) -> frozenset[str]:
        """The stems of the words of a text in the language of the question."""
        return stems(self.tokens(text), self.language)

    def tokens(self, text: str) -> tuple[str, ...]:
        """The words of a text; with its days as eight digits if the question names a day."""
        return (*tokens(text), *dates_in(text)) if self.names_days else tokens(text)

    def without_its_numbers(self, text: str) -> str:
        """Return a text without the numbers that the question has itself: these do not answer it."""
        numbers = "|".join(sorted(filter(str.isdigit, self.everything)))
        return re.sub(rf"\b(?:{numbers})\b", " ", text) if numbers else text

    def overlap(self, text: str) -> int:
        """How many of its content words a text holds, in any form."""
        return len(self.stems(text).intersection(self.content))


@lru_cache(maxsize=64)
def read_asked(question: str) -> QuestionFeatures:
    """Read a question for what it asks.

    >>> asked = read_asked("How large a DHCP message must a client be prepared to receive?")
    >>> asked.kind, asked.content
    (<AnswerKind.NUMBER: 'number'>, ('size', 'dhcp', 'messag', 'client', 'prepar', 'receiv'))
    """
    lowered = question.strip().lower()
    language = detect_language(question)
    empty = likely_function_words(language)
    words = tokens(with_days(question))[:_MOST_WORDS]
    telling = [word for word in words if word not in empty and not (len(word) == 1 and word.isascii())] or words
    return QuestionFeatures(
        question,
        language,
        next((kind for kind, pattern in _KINDS if pattern.search(lowered)), AnswerKind.OTHER),
        tuple(dict.fromkeys(stem(word, language) for word in telling)),
        stems((word for word in telling if not word.isalpha()), language),
        stems(words, language),
        empty,
        bool(dates_in(question)),
        _is_nameless(question),
    )


def _is_nameless(question: str) -> bool:
    further = WORD.findall(question)[1:]
    has_capitals = question.lower() != question.upper()
    return has_capitals and not any((word[0].isupper() and word != "I") or _YEAR.fullmatch(word) for word in further)
