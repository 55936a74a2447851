"""Settings of a workspace: flag over environment over ``polyadic.toml`` over default.

The environment names a setting by section and field, ``POLYADIC_EMBEDDING__MODEL=hashing``. Secrets are never
settings: a setting names the environment variable that holds one.
"""

from polyadic.settings.loading import (
    DEFAULT_FOLDER,
    FILE_NAME,
    expanded,
    load_settings,
    template,
    variable_that_sets,
)
from polyadic.settings.methods import (
    COMMON_METHODS,
    METHODS,
    BinarySettings,
    HierarchySettings,
    HypergraphSettings,
    MethodName,
    PassagesSettings,
    PathsSettings,
    RetrievalSettings,
    ThemesSettings,
    WalkSettings,
)
from polyadic.settings.section import Section
from polyadic.settings.settings import Settings
from polyadic.settings.work import (
    TOKENS_FOR_A_MODEL,
    TOKENS_WITHOUT_A_MODEL,
    AnswerSettings,
    ChunkingSettings,
    EmbeddingModel,
    EmbeddingSettings,
    EndpointSettings,
    ExtractionSettings,
    ModelSettings,
    ReadingSettings,
    RerankerSettings,
)

__all__ = [
    "COMMON_METHODS",
    "DEFAULT_FOLDER",
    "FILE_NAME",
    "METHODS",
    "TOKENS_FOR_A_MODEL",
    "TOKENS_WITHOUT_A_MODEL",
    "AnswerSettings",
    "BinarySettings",
    "ChunkingSettings",
    "EmbeddingModel",
    "EmbeddingSettings",
    "EndpointSettings",
    "ExtractionSettings",
    "HierarchySettings",
    "HypergraphSettings",
    "MethodName",
    "ModelSettings",
    "PassagesSettings",
    "PathsSettings",
    "ReadingSettings",
    "RerankerSettings",
    "RetrievalSettings",
    "Section",
    "Settings",
    "ThemesSettings",
    "WalkSettings",
    "expanded",
    "load_settings",
    "template",
    "variable_that_sets",
]
