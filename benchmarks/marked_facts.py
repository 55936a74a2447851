"""Count what marks in passages bring: ``python -m benchmarks.marked_facts``.

``marked_facts_replies.jsonl`` has the answers of a large language model to 30 questions with and without marks
(``marked_facts``), by two methods. ``has_marks`` says whether the context of the question has marks where they are on.
Prints, for these contexts, the needed pieces that occur in the answers, the declined questions and the words.
"""

import json
import re
from pathlib import Path

from benchmarks.data import data_folder

_REPLIES = Path(__file__).with_name("marked_facts_replies.jsonl")


def main() -> None:
    lines = (data_folder() / "spaceflight-model" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    needed = {question["id"]: question["needed"] for question in map(json.loads, lines)}
    replies = [json.loads(line) for line in _REPLIES.read_text(encoding="utf-8").splitlines()]
    for marked_facts in sorted({reply["marked_facts"] for reply in replies}):
        chosen = [reply for reply in replies if reply["marked_facts"] == marked_facts and reply["has_marks"]]
        pieces = [
            re.search(pattern, reply["text"], re.IGNORECASE) is not None
            for reply in chosen
            for pattern in needed[reply["question"]]
        ]
        declined = sum(reply["text"].startswith("[none]") for reply in chosen)
        words = sum(len(reply["text"].split()) for reply in chosen)
        print(
            f"marked_facts = {marked_facts}: {len(chosen)} answers, {sum(pieces)} of {len(pieces)} pieces,"
            f" {declined} declined, {words} words"
        )


if __name__ == "__main__":
    main()
