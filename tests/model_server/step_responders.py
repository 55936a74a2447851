"""Ready responders for KAG's steps and for further searches, by a plain rule: one look-up for each name is enough."""

import json

from tests.model_server.names import names
from tests.model_server.reading import numbered, question, wanted
from tests.model_server.types import Asked, Responder


def step_replies() -> tuple[Responder, ...]:
    """All of these."""
    return steps_of_names(), answers_of_steps(), enough_found()


def steps_of_names() -> Responder:
    """A retrieval for each name in the question (or for all of it, if there is none), then the output."""

    def respond(asked: Asked) -> str | None:
        request = wanted(asked)
        if request is None or request.subject != "steps":
            return None
        about = question(asked)
        subjects = names(about) or [about]
        steps = [
            _step("retrieval", f"What is known of {name}, for the question: {about}", name, f"?about{number}")
            for number, name in enumerate(subjects, 1)
        ]
        return json.dumps({"steps": [*steps, _step("output", about)]}, ensure_ascii=False)

    return respond


def answers_of_steps() -> Responder:
    """The last name of the first line that shares most words with the question; no answer where no line shares any."""

    def respond(asked: Asked) -> str | None:
        request = wanted(asked)
        if request is None or request.subject != "step":
            return None
        about = {word.strip("?.,:'").casefold() for word in question(asked).split()}
        lines = [
            (len(about & {word.strip(".,").casefold() for word in text.split()}), -n, text)
            for n, text in numbered(asked.last_user_text)
        ]
        shared, number, text = max(lines, default=(0, 0, ""))
        found = names(text)[-1:] if shared else []
        return json.dumps({"answers": found, "lines": [-number] if found else []}, ensure_ascii=False)

    return respond


def enough_found() -> Responder:
    """The first item of the knowledge is noted, and nothing is missing."""

    def respond(asked: Asked) -> str | None:
        if asked.schema is None or "queries" not in asked.schema["properties"]:
            return None
        notes = [{"note": text, "numbers": [number]} for number, text in numbered(asked.last_user_text)[:1]]
        return json.dumps({"notes": notes, "queries": []}, ensure_ascii=False)

    return respond


def _step(operator: str, question: str, subject: str = "", result: str = "") -> dict[str, str]:
    arguments = {"subject": subject, "predicate": "what is known" if subject else "", "object": "", "result": result}
    return {"operator": operator, "question": question} | arguments
