"""Ready responders for summaries of clusters and reports on communities, by a plain rule."""

import json
import re

from tests.model_server.reading import numbered, wanted
from tests.model_server.types import Asked, Responder

FINDINGS = 7
_LISTED = re.compile(r"^- (.+)$", re.MULTILINE)
_AFTER_A_NAME = re.compile(r"( \([^()]*\))?(: .*)?$", re.DOTALL)


def hierarchy_replies() -> tuple[Responder, ...]:
    """Both."""
    return summaries_of_members(), reports_of_facts()


def summaries_of_members() -> Responder:
    """One summary of all numbered members, named after the first two: "Theme of Ada and Bob"."""

    def respond(asked: Asked) -> str | None:
        request = wanted(asked)
        if request is None or request.subject != "summaries":
            return None
        members = [(number, name_of(line)) for number, line in numbered(asked.last_user_text)]
        first = " and ".join(name for _, name in members[:2])
        summary = {
            "name": f"Theme of {first}",
            "type": "event",
            "description": f"What {first} have in common with {max(0, len(members) - 2)} more.",
            "members": [number for number, _ in members],
        }
        return json.dumps({"summaries": [summary]}, ensure_ascii=False)

    return respond


def reports_of_facts() -> Responder:
    """A report named after the first member, with a finding of each of the first numbered facts, in their words."""

    def respond(asked: Asked) -> str | None:
        request = wanted(asked)
        if request is None or request.subject != "report":
            return None
        facts = numbered(asked.last_user_text)
        listed = _LISTED.search(asked.last_user_text)
        report = {
            "title": f"Report on {name_of(listed[1]) if listed else 'facts'}",
            "summary": f"There are {len(facts)} facts.",
            "rating": 5,
            "findings": [{"text": text, "facts": [number]} for number, text in facts[:FINDINGS]],
        }
        return json.dumps(report, ensure_ascii=False)

    return respond


def name_of(line: str) -> str:
    """The name at the beginning of a line about a member.

    >>> name_of("Ada Lovelace (person): wrote notes (in 1843)."), name_of("Notes: by Ada (person)"), name_of("Osk")
    ('Ada Lovelace', 'Notes', 'Osk')
    """
    return _AFTER_A_NAME.sub("", line.partition(": ")[0])
