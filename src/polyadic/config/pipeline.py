"""Settings sections for reading, chunking, extraction, answers, embeddings and reranking."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from polyadic.config.language_model import EndpointSettings
from polyadic.config.section import SettingsSection


class ReadingSettings(SettingsSection):
    """How documents are read."""

    encoding: str = Field(default="", description="encoding of text files that are not UTF-8; empty: it is detected")
    max_megabytes: float = Field(default=50.0, gt=0, le=1000, description="maximum text size of a document, in MB")
    exclude: tuple[str, ...] = Field(
        default=(),
        examples=[["*.log", "drafts/"]],
        description="patterns of files and folders to skip: a name, or a path in which ** matches any folders",
    )
    keep_originals: bool = Field(
        default=False,
        description="keep a copy of each PDF file and picture in the workspace, to show its pages beside the text",
    )


OcrEngineName = Literal["off", "tesseract", "model", "docling", "mineru"]


class OcrSettings(EndpointSettings):
    """How scanned pages of PDF files, and pictures, are read and described; off by default."""

    engine: OcrEngineName = Field(
        default="off",
        description="tesseract: the program on this machine; model: that of [model.vision]; docling, mineru: a parser "
        "at base_url",
    )
    languages: str = Field(
        default="eng",
        pattern=r"^[A-Za-z0-9_]+(?:\+[A-Za-z0-9_]+)*$",
        description="languages for tesseract, such as eng+deu; tesseract --list-langs lists them",
    )
    captions: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="maximum pictures per PDF, Word, PowerPoint or HTML file that [model.vision] describes; 0: none",
    )
    key_variable: str = Field(default="", description="environment variable with the API key; empty: no key needed")
    at_once: int = Field(
        default=2, ge=1, le=1000, description="maximum pages at once; this and the two limits below apply to each run"
    )
    timeout: float = Field(default=120.0, gt=0, description="time limit for a page in seconds")
    retries: int = Field(default=2, ge=0, le=100, description="maximum retries after a transient error")


class ChunkingSettings(SettingsSection):
    """How documents are split into chunks."""

    tokens: int = Field(
        default=250, ge=50, le=100_000, description="approximate tokens per chunk (the unit of retrieval)"
    )
    overlap: int = Field(default=25, ge=0, description="approximate tokens of overlap with the previous chunk")
    window_tokens: int = Field(
        default=1200,
        ge=0,
        le=100_000,
        description="approximate tokens that a model reads at once, as several chunks; 0: each chunk by itself",
    )
    window_overlap: int = Field(
        default=100, ge=0, description="approximate tokens before a window that the model reads as context"
    )
    language: str = Field(default="auto", description="language of the documents (ISO 639-1), or auto")

    def read_by(self, paid: bool) -> "ChunkingSettings":
        """Return the settings for an extractor: without a model, chunks are read one by one.

        Large windows are cheaper with a model, which is called once per window; small chunks make retrieval precise.

        >>> [ChunkingSettings().read_by(paid).window_tokens for paid in (True, False)]
        [1200, 0]
        """
        return self if paid else self.model_copy(update={"window_tokens": 0, "window_overlap": 0})


class ExtractionSettings(SettingsSection):
    """How facts are extracted from documents."""

    extractor: Literal["auto", "model", "sentences"] = Field(
        default="auto", description="model, sentences (no language model), or auto: model if one is set"
    )
    entity_types: tuple[str, ...] = Field(
        default=(),
        examples=[["person", "organization", "place", "date"]],
        description="entity types to choose from",
    )
    domain: str = Field(default="", description="subject of the documents, as a hint to the model")
    language: str = Field(default="", description="language of the facts, such as English; empty: that of the document")
    use_unsupported: bool = Field(
        default=False, description="use facts with numbers or names that their text lacks, or without a sentence"
    )
    gleanings: int = Field(
        default=0, ge=0, le=5, description="maximum further extraction passes over a chunk that may contain more facts"
    )


Effort = Literal["low", "medium", "high"]

MOST_CALLS: Mapping[Effort, int] = {"low": 1, "medium": 3, "high": 6}
"""Maximum number of model calls for a question with each effort, the one for the answer included."""


class AnswerSettings(SettingsSection):
    """How questions are answered."""

    by: Literal["auto", "model", "quotes"] = Field(
        default="auto", description="model, quotes (no language model), or auto: model if one is set"
    )
    format: Literal["plain", "think"] = Field(
        default="plain", description="think: the model reasons first (<think>, <answer>), as in the HyperGraphRAG paper"
    )
    style: str = Field(default="", examples=["three bullet points"], description="style of the answer")
    cross_encoder: bool = Field(
        default=True,
        description="judge the sentences to quote and the claims of answers by cross-encoders; for English, with "
        "all-MiniLM-L6-v2 as embedder",
    )
    effort: Effort = Field(
        default="low",
        description=f"low: one search; medium, high: a language model searches for what is missing, in at most "
        f"{MOST_CALLS['medium']} and {MOST_CALLS['high']} calls",
    )
    check_claims: bool = Field(
        default=False,
        description="have a language model (role judging) find the sentences that support each claim of an answer, "
        "and flag the other claims; one more call",
    )
    marked_facts: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="number of best facts stated in shown passages whose sentences are marked for the model; 0: none",
    )
    budget: float | None = Field(
        default=None,
        ge=0,
        examples=[0.05],
        description="most money that searches and answer may cost with effort medium or high, without a check of "
        "claims; needs prices (default: no limit)",
    )

    def overridden(self, **changes: object) -> "AnswerSettings":
        """Return a copy with these settings changed; those that are None stay as they are."""
        return self.model_copy(update={name: value for name, value in changes.items() if value is not None})


EmbeddingModel = Literal["minilm-int8", "minilm", "hashing", "endpoint"]


class EmbeddingSettings(EndpointSettings):
    """Embedding model; the endpoint settings apply only to model = "endpoint"."""

    model: EmbeddingModel = Field(
        default="minilm-int8",
        description="minilm-int8: all-MiniLM-L6-v2 on this machine, in 8-bit integers; minilm: in float32, slower; "
        "hashing: based on words only, needs no weights; endpoint",
    )
    name: str = Field(default="", description="model name at the endpoint")
    window: int = Field(default=512, ge=32, description="context window of an endpoint's model in tokens")
    unrelated_below: float = Field(
        default=0.25,
        ge=-1,
        le=1,
        description="cosine similarity below which an endpoint's model considers two texts unrelated",
    )
    folder: Path | None = Field(
        default=None,
        examples=["/data/models"],
        description="folder with the weights of the model (default: the cache folder)",
    )
    threads: int | None = Field(
        default=None, ge=1, examples=[2], description="CPU threads for a local model (default: all)"
    )


class RerankerSettings(EndpointSettings):
    """Reranker, a model that scores each passage together with the question; off by default."""

    model: Literal["off", "endpoint", "onnx"] = Field(
        default="off",
        description="endpoint: a server with /rerank (Cohere, Jina, vLLM, llama.cpp); onnx: a local folder",
    )
    name: str = Field(default="", description="model name at the endpoint")
    folder: Path | None = Field(
        default=None, examples=["/data/reranker"], description="folder with model.onnx and tokenizer.json"
    )
    key_variable: str = Field(default="", description="environment variable with the API key; empty: no key needed")
    passages: int = Field(default=20, ge=2, le=1000, description="number of top passages to rerank")
    window: int = Field(
        default=512, ge=32, description="context window of a local model in tokens, for question and passage"
    )
    timeout: float = Field(
        default=10.0, gt=0, description="timeout of a request in seconds, after which the original order is kept"
    )
    retries: int = Field(default=0, ge=0, le=100, description="maximum retries after a transient error")
