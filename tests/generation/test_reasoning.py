"""What a model thinks before it answers is no part of the answer."""

from typing import Literal

import pytest

from polyadic.errors import NoReply
from tests.generation.test_llm_answerer import answer, server
from tests.model_server import ModelServer, Said, Think

__all__ = ["server"]


def test_unrequested_reasoning_is_separated(server: ModelServer) -> None:
    server.misbehave(Think("Hm [1]."), times=2)
    given = answer(server, "Ada [1].")
    assert (given.text, given.reasoning) == ("Ada [1].", "Hm [1].")


def test_reasoning_without_an_opening_tag_is_reported(server: ModelServer) -> None:
    given = answer(server, "Hm.</think>Ada [1].")
    assert given.text == "Hm.</think>Ada [1]."
    assert given.note.endswith('the answer contains reasoning: set format = "think" under [answer] to separate it')
    assert answer(server, "Hm.</think>Ada [1].", form="think").text == "Ada [1]."


@pytest.mark.parametrize(
    ("reply", "form", "problem"),
    [
        ("<think>Hm, it is", "plain", "recorded gave no answer, only reasoning: ask again"),
        ("<think>Hm.</think><answer> </answer>", "think", "recorded gave no answer, only reasoning: ask again"),
        ("[7]", "plain", "recorded gave no answer: ask again"),
        (Said("<think>Hm", "length"), "plain", "recorded gave no answer, only reasoning: raise output_tokens"),
    ],
)
def test_reasoning_alone_is_no_answer(
    server: ModelServer, reply: str | Said, form: Literal["plain", "think"], problem: str
) -> None:
    with pytest.raises(NoReply, match=problem):
        answer(server, reply, form=form)
