"""Settings of a workspace: all sections together."""

from pydantic_settings import BaseSettings, SettingsConfigDict

from polyadic.settings.methods import (
    BinarySettings,
    HierarchySettings,
    HypergraphSettings,
    PassagesSettings,
    PathsSettings,
    RetrievalSettings,
    ThemesSettings,
    WalkSettings,
)
from polyadic.settings.work import (
    AnswerSettings,
    ChunkingSettings,
    EmbeddingSettings,
    ExtractionSettings,
    ModelSettings,
    ReadingSettings,
    RerankerSettings,
)


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
    reranker: RerankerSettings = RerankerSettings()
    hypergraph: HypergraphSettings = HypergraphSettings()
    walk: WalkSettings = WalkSettings()
    binary: BinarySettings = BinarySettings()
    paths: PathsSettings = PathsSettings()
    passages: PassagesSettings = PassagesSettings()
    themes: ThemesSettings = ThemesSettings()
    hierarchy: HierarchySettings = HierarchySettings()
