"""Settings of a workspace, with all sections."""

from pydantic_settings import BaseSettings, SettingsConfigDict

from polyadic.config.language_model import ModelSettings
from polyadic.config.pipeline import (
    AnswerSettings,
    ChunkingSettings,
    EmbeddingSettings,
    ExtractionSettings,
    OcrSettings,
    ReadingSettings,
    RerankerSettings,
)
from polyadic.config.retrieval import (
    ChunksSettings,
    FastGraphRAGSettings,
    GraphRAGSettings,
    HierarchyBuildSettings,
    HierarchySearchSettings,
    HippoRAG2Settings,
    HippoRAGSettings,
    HypergraphSettings,
    KAGSettings,
    LightRAGSettings,
    PathRAGSettings,
    RaptorSettings,
    RetrievalSettings,
    WalkSettings,
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
    ocr: OcrSettings = OcrSettings()
    chunking: ChunkingSettings = ChunkingSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    model: ModelSettings = ModelSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    answer: AnswerSettings = AnswerSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    reranker: RerankerSettings = RerankerSettings()
    chunks: ChunksSettings = ChunksSettings()
    hypergraph: HypergraphSettings = HypergraphSettings()
    walk: WalkSettings = WalkSettings()
    lightrag: LightRAGSettings = LightRAGSettings()
    pathrag: PathRAGSettings = PathRAGSettings()
    hipporag: HippoRAGSettings = HippoRAGSettings()
    hipporag2: HippoRAG2Settings = HippoRAG2Settings()
    fastgraphrag: FastGraphRAGSettings = FastGraphRAGSettings()
    raptor: RaptorSettings = RaptorSettings()
    kag: KAGSettings = KAGSettings()
    graphrag: GraphRAGSettings = GraphRAGSettings()
    hierarchy_build: HierarchyBuildSettings = HierarchyBuildSettings()
    hierarchy: HierarchySearchSettings = HierarchySearchSettings()
