"""Settings of a workspace that clients may see: how it works, but no paths, addresses or keys."""

from polyadic import __version__
from polyadic.config import METHODS, Settings
from polyadic.embeddings.loading import embedder_name
from polyadic.extraction import factory
from polyadic.hierarchy.api import wanted
from polyadic.server.schemas import SettingsView


def shown(settings: Settings) -> SettingsView:
    """Build the settings view, with ``auto`` replaced by the choice it stands for.

    >>> view = shown(Settings())
    >>> view.extractor, view.chunk_tokens, view.answers
    ('sentences', 250, 'quotes')
    """
    extractor = factory.wanted(None, settings)
    model = settings.model.of_role("answers")
    answers = settings.answer.by if settings.answer.by != "auto" else "model" if model.name else "quotes"
    return SettingsView(
        model=model.name,
        model_context_tokens=model.context_tokens if model.name else 0,
        embedder=embedder_name(settings.embedding),
        extractor=extractor,
        entity_types=list(settings.extraction.entity_types),
        gleanings=settings.extraction.gleanings,
        chunk_tokens=settings.chunking.tokens,
        chunk_overlap=settings.chunking.overlap,
        language=settings.chunking.language,
        method=settings.retrieval.method,
        methods=list(METHODS),
        context_tokens=settings.retrieval.context_tokens,
        answers=answers,
        hierarchy_by=wanted(None, settings),
        ocr=settings.ocr.engine != "off",
        version=__version__,
    )
