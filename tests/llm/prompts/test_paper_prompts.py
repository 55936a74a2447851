"""The prompts in the structure of the papers, with replies in the papers' formats, over real HTTP."""

import asyncio
import re
from pathlib import Path

import pytest

from polyadic.config import AnswerSettings, EmbeddingSettings, ExtractionSettings, ModelSettings, Settings
from polyadic.generation.llm_answerer import NO_KNOWLEDGE
from polyadic.hierarchy.llm_summarizer import LLMSummarizer
from polyadic.hierarchy.prompt_context import MemberContext
from polyadic.llm.cached_model import CachedModel, NullCache
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.prompts.library import PAPER, PromptLibrary, original_text
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.model_server import Asked, ModelServer

TEXT = "Mira Falk founded the Harbour Museum in Osk in 1962. Jonas Brandt built the pier of Osk for the Falk Line."
FACT = "Mira Falk founded the Harbour Museum in Osk in 1962."
FACTS = f"""("hyper-relation"<|>"{FACT}"<|>9)##
("entity"<|>"Mira Falk"<|>"person"<|>"Founder of the museum."<|>95)##
("entity"<|>"Harbour Museum"<|>"organization"<|>"A museum in Osk."<|>90)##
("entity"<|>"Osk"<|>"place"<|>"A town."<|>60)##
("hyper-relation"<|>"Jonas Brandt built the pier of Osk for the Falk Line."<|>8)##
("entity"<|>"Jonas Brandt"<|>"person"<|>"Builder of the pier."<|>70)##
("entity"<|>"Osk"<|>"place"<|>"A town."<|>60)##
("entity"<|>"Falk Line"<|>"company"<|>"A shipping company."<|>50)##
<|COMPLETE|>"""
SUMMARY = """("entity"<|>"Port Of Osk"<|>"location"<|>"The port and what belongs to it.")##
("relationship"<|>"{0}"<|>"Port Of Osk"<|>"It belongs to it."<|>9)##
("relationship"<|>"{1}"<|>"Port Of Osk"<|>"So does this."<|>8)##
<|COMPLETE|>"""


def respond(asked: Asked) -> str:
    """Reply in the format of the request."""
    prompt = asked.last_user_text
    if "hyper-relation" in prompt:
        return FACTS
    if "attribute entity" in prompt:
        members = re.findall(r"^\[\d+\] (.+?)(?: \(|:|$)", prompt.split("-Real Data-")[-1], re.MULTILINE)
        return SUMMARY.format(*members[:2])
    if "list every entity" in prompt.lower():
        return '{"entities": ["Harbour Museum"]}'
    return "<think>\nFalk founded it.\n</think>\n<answer>\nMira Falk\n</answer>"


@pytest.fixture
def settings() -> Settings:
    return Settings(
        embedding=EmbeddingSettings(model="hashing"),
        extraction=ExtractionSettings(extractor="model"),
        answer=AnswerSettings(by="model", format="think"),
    )


def workspace(folder: Path, server: ModelServer, settings: Settings) -> Workspace:
    for name in PAPER:
        file = folder / "prompts" / f"{name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(original_text(name, "paper"))
    model = ModelSettings(name="recorded", base_url=server.url, key_variable="", retries=0)
    return Workspace(folder, settings.model_copy(update={"model": model}))


def test_facts_are_read_from_the_delimiter_format(tmp_path: Path, settings: Settings) -> None:
    with ModelServer([respond]) as server, workspace(tmp_path, server, settings) as kb:
        report = kb.add([Document("memory:osk", "", TEXT)])
        (asked,) = server.asked
        (fact,) = kb.facts_of("Mira Falk")
    assert (list(report.failed), dict(report.problems)) == ([], {}) and report.extractor.startswith(
        "recorded paper-extract-1 "
    )
    assert (fact.text, fact.score, set(fact.entities)) == (FACT, 9.0, {"Mira Falk", "Harbour Museum", "Osk"})
    assert asked.json_mode is None and [message.role for message in asked.messages] == ["user"]
    assert f"Text: {TEXT.split('. ', maxsplit=1)[0]}." in asked.last_user_text


def test_every_method_has_the_same_generation_prompt(tmp_path: Path, settings: Settings) -> None:
    with ModelServer([respond]) as server, workspace(tmp_path, server, settings) as kb:
        kb.add([Document("memory:osk", "", TEXT)])
        answers = [kb.query("Who founded the Harbour Museum?", method) for method in ("none", "chunks", "hypergraph")]
        prompts = [asked.last_user_text for asked in server.asked if "---Knowledge---" in asked.last_user_text]
    assert [(answer.text, answer.reasoning) for answer in answers] == [("Mira Falk", "Falk founded it.")] * 3
    parts = [re.split(r"---Knowledge---\n(.*?)\n---Goal---", prompt, flags=re.DOTALL) for prompt in prompts]
    assert len({(before, after) for before, _, after in parts}) == 1
    assert parts[0][1] == NO_KNOWLEDGE and FACT in parts[1][1]


def test_summaries_are_read_from_the_delimiter_format(tmp_path: Path) -> None:
    members = [
        MemberContext(f"e{n}", name, "", "It is in Osk.") for n, name in enumerate(("Falk Line", "Pier", "Bread"))
    ]
    with ModelServer([respond]) as server, workspace(tmp_path, server, Settings()) as kb:
        model = CachedModel(EndpointModel(kb.settings.model), NullCache())
        summarizer = LLMSummarizer(model, PromptLibrary(tmp_path), kb.settings.hierarchy_build)
        found = asyncio.run(summarizer.summarize(1, members))
        (asked,) = server.asked
    (summary,) = found.summaries
    assert (summary.name, summary.type, summary.by) == ("Port Of Osk", "location", "recorded")
    assert (summary.members, found.dropped, asked.json_mode) == (("e0", "e1"), (), None)
