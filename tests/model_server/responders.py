"""Ready responders for texts without a recording; each passes on what it is not made for."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

from polyadic.text.language import detect_language
from polyadic.text.stopwords import function_words
from tests.model_server.facts import EntityRow, FactRow, reply_with_facts, reply_with_names
from tests.model_server.hierarchy_responders import hierarchy_replies
from tests.model_server.names import names
from tests.model_server.reading import lines_of_items, numbered, question, unnumbered, wanted
from tests.model_server.step_responders import step_replies
from tests.model_server.types import Asked, Responder, Said

NO_ANSWER = "The documents do not answer this question."
_PASS_PHRASE = re.compile(r"^.*?The pass phrase is (.+?)\.?$", re.MULTILINE)
_CONTENT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff_]+")


def says(text: str | Said) -> Responder:
    """Says the same, whatever it is asked."""
    return lambda asked: text


def needle() -> Responder:
    """Finds ``The pass phrase is X.`` on a line of a request about a pass phrase; says "unknown" if it is not there."""

    def respond(asked: Asked) -> str | None:
        if found := _PASS_PHRASE.search(asked.text):
            return found[1]
        return "unknown" if "pass phrase" in asked.text.casefold() else None

    return respond


def facts_by_sentence() -> Responder:
    """Makes a fact of each numbered sentence, or of each line of an unnumbered text, where facts are asked for."""

    def respond(asked: Asked) -> str | None:
        request = wanted(asked)
        if request is None or request.subject != "facts":
            return None
        sentences = numbered(asked.last_user_text) or numbered(asked.text) or unnumbered(asked.last_user_text)
        return reply_with_facts([_fact(number, sentence) for number, sentence in sentences], request)

    return respond


def entities_of_question() -> Responder:
    """The names in the question, where a list of names is asked for."""

    def respond(asked: Asked) -> str | None:
        request = wanted(asked)
        if request is None or request.subject != "entities":
            return None
        return reply_with_names(names(question(asked) or asked.last_user_text.strip().rpartition("\n")[2]))

    return respond


def answer_from_context(no_answer: str = NO_ANSWER) -> Responder:
    """Answers the ``Question:`` of the last user message by the one or two lines of items most like it in words.

    The answer is their texts, each followed by its number in brackets, or ``no_answer`` where none shares two words.
    """

    def respond(asked: Asked) -> str | None:
        about = question(asked)
        if asked.json_mode is not None or not about:
            return None
        mine, unlike = _content(about), function_words(detect_language(about))
        shared = {item: len((mine & _content(item[1])) - unlike) for item in lines_of_items(asked.text)}
        best = [(item, count) for item, count in Counter(shared).most_common(2) if count >= 2]
        # The second one only where it says nearly as much.
        chosen = [item for item, count in best if count >= best[0][1] - 1]
        return " ".join(f"{text} [{number}]" for number, text in chosen) or no_answer

    return respond


def supported_by_sentences(*sentences: Sequence[int]) -> str:
    """A reply to a check of claims: the numbers of the sentences that support each one."""
    claims = [{"claim": claim, "lacks": "", "sentences": [*numbers]} for claim, numbers in enumerate(sentences, 1)]
    return json.dumps({"claims": claims})


def checks_claims(reply: str) -> Responder:
    """Replies to requests to check claims only."""
    return lambda asked: reply if "You check the citations of an answer" in asked.text else None


def ready(no_answer: str = NO_ANSWER) -> tuple[Responder, ...]:
    """All of these, so that a whole run needs no recording."""
    named = (needle(), facts_by_sentence(), entities_of_question())
    return *named, *hierarchy_replies(), *step_replies(), answer_from_context(no_answer)


def _fact(number: int, sentence: str) -> FactRow:
    entities = [EntityRow(name=name, type="thing", description=sentence, score=80.0) for name in names(sentence)]
    return FactRow(text=sentence, score=8.0, sentences=[number], entities=entities)


@cache
def _content(text: str) -> frozenset[str]:
    """The words of a text in lower case; in Chinese, its characters."""
    return frozenset(_CONTENT.findall(text.casefold()))
