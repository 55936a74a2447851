"""The sections on reading, models and answers: what is done with documents and questions."""

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from polyadic.config.section import SettingsSection


class ReadingSettings(SettingsSection):
    """How documents are read."""

    encoding: str = Field(default="", description="encoding of text files that are not UTF-8; empty: it is detected")
    max_megabytes: float = Field(
        default=50.0, gt=0, le=1000, description="largest text of one document, in millions of bytes"
    )
    exclude: tuple[str, ...] = Field(
        default=(),
        examples=[["*.log", "drafts/"]],
        description="patterns of files and folders to pass over: a name, or a path with ** for any folders",
    )


TOKENS_FOR_A_MODEL, TOKENS_WITHOUT_A_MODEL = 1200, 250
_FEWEST_TOKENS_OF_A_CHUNK = 50


class ChunkingSettings(SettingsSection):
    """How documents are cut into chunks."""

    tokens: int = Field(
        default=0,
        ge=0,
        le=100_000,
        description="about how many tokens a chunk has (50 or more); 0: 1200 where a model reads it, else 250",
    )
    overlap: int = Field(default=100, ge=0, description="about how many tokens a chunk repeats of the one before")
    language: str = Field(default="auto", description="language of the documents (ISO 639-1), or auto")

    @field_validator("tokens")
    @classmethod
    def _is_a_size(cls, tokens: int) -> int:
        if 0 < tokens < _FEWEST_TOKENS_OF_A_CHUNK:
            raise ValueError(f"Input should be 0, or {_FEWEST_TOKENS_OF_A_CHUNK} or more")
        return tokens

    def sized(self, by_model: bool) -> "ChunkingSettings":
        """With a size: a model is asked once a chunk, so large ones are cheaper; small ones tell better what is where.

        >>> ChunkingSettings().sized(by_model=False).tokens, ChunkingSettings(tokens=400).sized(by_model=False).tokens
        (250, 400)
        """
        if self.tokens:
            return self
        if by_model:
            return self.model_copy(update={"tokens": TOKENS_FOR_A_MODEL})
        overlap = min(self.overlap, TOKENS_WITHOUT_A_MODEL // 10)
        return self.model_copy(update={"tokens": TOKENS_WITHOUT_A_MODEL, "overlap": overlap})


class EndpointSettings(SettingsSection):
    """Where a model answers: any endpoint that speaks the OpenAI protocol."""

    base_url: str = Field(
        default="", description="such as http://localhost:11434/v1; empty: OPENAI_BASE_URL, else OpenAI's own"
    )
    key_variable: str = Field(
        default="OPENAI_API_KEY", description="environment variable that holds the key; empty: the endpoint needs none"
    )
    azure_api_version: str = Field(default="", description="only for Azure: its API version, such as 2024-10-21")
    at_once: int = Field(
        default=16, ge=1, le=1000, description="calls at once; as the two limits below, of each event loop by itself"
    )
    requests_per_minute: int = Field(default=0, ge=0, description="most calls a minute; 0: no limit")
    tokens_per_minute: int = Field(default=0, ge=0, description="most tokens a minute; 0: no limit")
    timeout: float = Field(default=180.0, gt=0, description="seconds to wait for a reply")
    retries: int = Field(default=5, ge=0, le=100, description="how often a call is made again that failed in passing")
    prompt_price: float = Field(default=0.0, ge=0, description="price of a million tokens sent")


class ModelSettings(EndpointSettings):
    """The language model; without a name there is none, and nothing is ever asked of one."""

    name: str = Field(default="", description="the model's name at the endpoint (Azure: the deployment's)")
    context_tokens: int = Field(default=16_000, ge=1000, description="tokens that the model can hold, reply included")
    output_tokens: int = Field(
        default=8000, ge=100, description="longest reply to wait for, in tokens; less where context_tokens has no room"
    )
    temperature: float = Field(default=0.0, ge=0, le=2, description="0: as repeatable as the model can be")
    json_mode: Literal["auto", "schema", "object", "text"] = Field(
        default="auto", description="how JSON is asked for: by schema, as an object, in words, or the first that works"
    )
    completion_price: float = Field(default=0.0, ge=0, description="price of a million tokens received")
    batch_discount: float = Field(
        default=0.0, ge=0, le=1, examples=[0.5], description="share of the prices that is taken off for batch files"
    )


class ExtractionSettings(SettingsSection):
    """What reads facts out of documents."""

    extractor: Literal["auto", "model", "sentences"] = Field(
        default="auto", description="model, sentences (no language model), or auto: model if one is named"
    )
    entity_types: tuple[str, ...] = Field(
        default=(),
        examples=[["person", "organization", "place", "date"]],
        description="types to choose from",
    )
    domain: str = Field(default="", description="what the documents are about, as a hint to the model")
    language: str = Field(default="", description="language of the facts, such as English; empty: the document's own")
    gleanings: int = Field(default=0, ge=0, le=5, description="most further looks at a chunk that may hold more facts")


class AnswerSettings(SettingsSection):
    """How questions are answered."""

    by: Literal["auto", "model", "quotes"] = Field(
        default="auto", description="model, quotes (no language model), or auto: model if one is named"
    )
    format: Literal["plain", "think"] = Field(
        default="plain", description="think: the model reasons first (<think>, <answer>), as in the HyperGraphRAG paper"
    )
    style: str = Field(default="", examples=["three bullet points"], description="what kind of answer is wanted")


EmbeddingModel = Literal["minilm-int8", "minilm", "hashing", "endpoint"]


class EmbeddingSettings(EndpointSettings):
    """Which model turns texts into vectors; what is said of an endpoint counts for model = "endpoint" only."""

    model: EmbeddingModel = Field(
        default="minilm-int8",
        description="minilm-int8: all-MiniLM-L6-v2 on this machine, in 8-bit integers; minilm: in float32, slower; "
        "hashing: words only, needs no weights; endpoint",
    )
    name: str = Field(default="", description="the model's name at the endpoint")
    window: int = Field(default=512, ge=32, description="tokens of a text that an endpoint's model embeds as one")
    unrelated_below: float = Field(
        default=0.25, ge=-1, le=1, description="cosine under which two texts of an endpoint's model are unrelated"
    )
    folder: Path | None = Field(
        default=None, examples=["/data/models"], description="folder with the model's weights, if not the usual one"
    )
    threads: int | None = Field(
        default=None, ge=1, examples=[2], description="processor threads for a local model (all, if not set)"
    )


class RerankerSettings(EndpointSettings):
    """A model that puts passages into order by reading each with the question; off unless one is named."""

    model: Literal["off", "endpoint", "onnx"] = Field(
        default="off", description="endpoint: any with /rerank (Cohere, Jina, vLLM, llama.cpp); onnx: a local folder"
    )
    name: str = Field(default="", description="the model's name at the endpoint")
    folder: Path | None = Field(
        default=None, examples=["/data/reranker"], description="folder with model.onnx and tokenizer.json"
    )
    key_variable: str = Field(
        default="", description="environment variable that holds the key; empty: the endpoint needs none"
    )
    passages: int = Field(default=20, ge=2, le=1000, description="how many of the first passages are reranked")
    window: int = Field(default=512, ge=32, description="tokens of question and passage that a local model reads")
    timeout: float = Field(
        default=10.0, gt=0, description="seconds to wait for a ranking; then the order stays as it is"
    )
    retries: int = Field(default=0, ge=0, le=100, description="how often a call is made again that failed in passing")
