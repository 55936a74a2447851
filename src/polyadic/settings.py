"""Settings of a workspace: flag over environment over ``polyadic.toml`` over default.

The environment names a setting by section and field, ``POLYADIC_EMBEDDING__MODEL=hashing``. Secrets are never
settings: a setting names the environment variable that holds one.
"""

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource
from pydantic_settings import SettingsError as SettingsSourceError

from polyadic.errors import SettingsError

FILE_NAME = "polyadic.toml"
DEFAULT_FOLDER = Path("polyadic-workspace")

MethodName = Literal[
    "none",
    "chunks",
    "binary",
    "binary-bare",
    "paths",
    "passages",
    "hypergraph",
    "hypergraph-without-er",
    "hypergraph-without-hr",
    "hypergraph-without-er-hr",
    "hypergraph-without-cr",
    "hypergraph-without-all",
    "walk",
    "auto",
]
METHODS: tuple[str, ...] = get_args(MethodName)


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ReadingSettings(Section):
    """How documents are read."""

    encoding: str = Field(
        default="", description="encoding of text files that are not UTF-8; empty: such files are refused"
    )
    max_megabytes: float = Field(
        default=50.0, gt=0, le=1000, description="largest text of one document, in millions of bytes"
    )


TOKENS_FOR_A_MODEL, TOKENS_WITHOUT_A_MODEL = 1200, 250
_FEWEST_TOKENS_OF_A_CHUNK = 50


class ChunkingSettings(Section):
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


class EndpointSettings(Section):
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


class ExtractionSettings(Section):
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


class AnswerSettings(Section):
    """How questions are answered."""

    by: Literal["auto", "model", "quotes"] = Field(
        default="auto", description="model, quotes (no language model), or auto: model if one is named"
    )
    format: Literal["plain", "think"] = Field(
        default="plain", description="think: the model reasons first (<think>, <answer>), as in the HyperGraphRAG paper"
    )
    style: str = Field(default="", examples=["three bullet points"], description="what kind of answer is wanted")


class EmbeddingSettings(EndpointSettings):
    """Which model turns texts into vectors; what is said of an endpoint counts for model = "endpoint" only."""

    model: Literal["minilm", "hashing", "endpoint"] = Field(
        default="minilm",
        description="minilm: all-MiniLM-L6-v2 on this machine; hashing: words only, needs no weights; endpoint",
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


class RetrievalSettings(Section):
    """How knowledge is found for a question."""

    method: MethodName = Field(default="auto", description="auto, or any method that query --method names")
    context_tokens: int = Field(default=4000, ge=1, description="how many tokens of knowledge a question may bring")


class HypergraphSettings(Section):
    """Method ``hypergraph``: HyperGraphRAG (arXiv 2503.21322), Eq. 14-20 with the paper's numbers."""

    entities: int = Field(default=60, ge=1, description="k_V: entities retrieved")
    facts: int = Field(default=60, ge=1, description="k_H: facts retrieved")
    chunks: int = Field(default=5, ge=1, description="k_C: chunks retrieved")
    entity_threshold: float = Field(default=50.0, description="tau_V: least similarity x score of an entity")
    fact_threshold: float = Field(default=5.0, description="tau_H: least similarity x score of a fact")
    chunk_threshold: float = Field(default=0.5, description="tau_C: least similarity of a chunk")
    entity_retrieval: bool = Field(default=True, description="ER: retrieve by entity")
    fact_retrieval: bool = Field(default=True, description="HR: retrieve by fact (hyperedge)")
    chunk_retrieval: bool = Field(default=True, description="CR: retrieve chunks beside")
    question_entities: Literal["names", "model"] = Field(
        default="names",
        description="V_q: the names in the question that the store knows, or model",
    )


class BinarySettings(Section):
    """Method ``binary``: LightRAG (arXiv 2410.05779) over facts broken into pairs."""

    entities: int = Field(default=60, ge=1, description="entities nearest to what the question names")
    relations: int = Field(default=60, ge=1, description="pairs nearest to the question")
    threshold: float = Field(default=0.2, description="least similarity of an entity or a pair")
    sentences: bool = Field(default=True, description="each pair with the sentence of its fact; false: two names")
    relation_share: float = Field(default=0.5, ge=0, le=1, description="share of the tokens for pairs before passages")


class PathsSettings(Section):
    """Method ``paths``: PathRAG (arXiv 2502.14902) over facts broken into pairs."""

    entities: int = Field(default=40, ge=1, description="N: entities between which paths are sought")
    paths: int = Field(default=15, ge=1, description="K: most paths retrieved")
    decay: float = Field(default=0.8, gt=0, le=1, description="alpha: what of the flow is left after each pair")
    threshold: float = Field(default=0.05, ge=0.001, le=1, description="theta: least flow into a pair")
    sentences: bool = Field(default=True, description="each pair with the sentence of its fact; false: two names")
    best_last: bool = Field(default=False, description="the most reliable path last, as in the paper")


class PassagesSettings(Section):
    """Method ``passages``: HippoRAG 2 (arXiv 2502.14802), Personalised PageRank over names and passages."""

    facts: int = Field(default=5, ge=1, description="facts nearest to the question, whose entities are starting points")
    entities: int = Field(default=15, ge=1, description="most entities to start from")
    passage_weight: float = Field(default=0.05, ge=0, description="weight of a passage as a starting point")
    damping: float = Field(default=0.5, gt=0, lt=1, description="how far it strays from where it starts")
    synonyms_above: float = Field(default=0.8, ge=-1, le=1, description="least cosine of two names that mean one thing")


class WalkSettings(Section):
    """Method ``walk``: Personalised PageRank over the hypergraph, no language model."""

    passages: int = Field(default=15, ge=1, description="most passages retrieved")
    facts: int = Field(default=30, ge=0, description="most facts shown beside the best one of each passage")
    damping: float = Field(default=0.85, gt=0, lt=1, description="how far the walk strays from where it starts")
    second_walk: bool = Field(default=True, description="walk again through what the first walk found")


class Settings(BaseSettings):
    """All settings of a workspace.

    >>> Settings().retrieval.method
    'auto'
    """

    model_config = SettingsConfigDict(
        env_prefix="POLYADIC_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    reading: ReadingSettings = ReadingSettings()
    chunking: ChunkingSettings = ChunkingSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    model: ModelSettings = ModelSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    answer: AnswerSettings = AnswerSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    hypergraph: HypergraphSettings = HypergraphSettings()
    walk: WalkSettings = WalkSettings()
    binary: BinarySettings = BinarySettings()
    paths: PathsSettings = PathsSettings()
    passages: PassagesSettings = PassagesSettings()


def expanded(name: Path | str) -> Path:
    """The path a person means: ``~`` is theirs, and what is no user's stays as it is.

    >>> expanded("~nobody-of-this-name/kb").parts
    ('~nobody-of-this-name', 'kb')
    """
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def load_settings(file: Path) -> Settings:
    """The settings that a file and the environment give together; the file need not exist.

    Raises
    ------
    SettingsError
        The file is no TOML, or a setting is unknown or has a value that cannot be used.
    """

    class FromFile(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, file.absolute())

    try:
        loaded = FromFile()
        return Settings.model_construct(**{section: getattr(loaded, section) for section in Settings.model_fields})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        variable = variable_that_sets(first["loc"])
        where = f"the environment variable {variable}" if variable else str(file)
        raise SettingsError(f"{where} sets {name} wrongly ({first['msg']})", _known(name)) from error
    except SettingsSourceError as error:
        fields = 'write a list as ["a", "b"], and a section field by field (POLYADIC_MODEL__NAME)'
        raise SettingsError(f"the environment variable {_no_json()} holds no JSON", fields) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read ({error})", "mend it or remove it") from error


def variable_that_sets(location: Sequence[str | int]) -> str | None:
    """The environment variable that sets what stands at a location of the settings; None where none does."""
    names = {variable.upper(): variable for variable in os.environ}
    for cut in range(len(location), 0, -1):
        variable = names.get(_variable_of(*location[:cut]))
        if variable and _holds(os.environ[variable], location[cut:]):
            return variable
    # POLYADIC_MODEL__NAME__X makes a section out of a name.
    within = _variable_of(*location, "")
    return next((variable for name, variable in names.items() if name.startswith(within)), None)


def _variable_of(*location: str | int) -> str:
    return ("POLYADIC_" + "__".join(map(str, location))).upper()


def _holds(value: str, location: Sequence[str | int]) -> bool:
    """Whether the value of a variable, which is JSON where it stands for more than one, has something there.

    >>> _holds("300", ()), _holds('{"tokens": 300}', ("tokens",)), _holds('{"tokens": 300}', ("overlap",))
    (True, True, False)
    """
    held: Any = json.loads(value) if location else None
    for part in location:
        if not (part in held if isinstance(held, dict) else isinstance(part, int) and isinstance(held, list)):
            return False
        held = held[part]
    return True


def _no_json() -> str:
    """The environment variables that stand for a section or a list and hold no JSON."""
    expected = set()
    for section, field in Settings.model_fields.items():
        expected.add(_variable_of(section))
        of_section = type(field.default).model_fields.items()
        expected |= {_variable_of(section, name) for name, one in of_section if isinstance(one.default, tuple)}
    return " or ".join(sorted(name for name in os.environ if name.upper() in expected and not _is_json(name)))


def _is_json(variable: str) -> bool:
    try:
        json.loads(os.environ[variable])
    except ValueError:
        return False
    return True


def template(chosen: Mapping[str, Mapping[str, object]] | None = None) -> str:
    """A ``polyadic.toml`` with every setting and what it means: those chosen set, all others commented out.

    Parameters
    ----------
    chosen
        Values by section and name.

    >>> print(template().splitlines()[3])
    # encoding = ""  # encoding of text files that are not UTF-8; empty: such files are refused
    >>> print(next(line for line in template({"walk": {"damping": 0.5}}).splitlines() if line.startswith("damping")))
    damping = 0.5  # how far the walk strays from where it starts
    """
    lines = ["# Settings of this Polyadic workspace: remove the # before a line to change it."]
    for section, field in Settings.model_fields.items():
        values = field.default
        set_here = (chosen or {}).get(section, {})
        lines += ["", f"[{section}]  # {type(values).__doc__}"]
        for name, setting in type(values).model_fields.items():
            value = getattr(values, name)
            example = next(iter(setting.examples or ()), value) if value in (None, ()) else value
            mark = "" if name in set_here else "# "
            lines.append(f"{mark}{name} = {json.dumps(set_here.get(name, example))}  # {setting.description}")
    return "\n".join(lines) + "\n"


def _known(name: str) -> str:
    section = Settings.model_fields.get(name.split(".", maxsplit=1)[0])
    names = type(section.default).model_fields if section else Settings.model_fields
    return f"known here: {', '.join(names)}"
