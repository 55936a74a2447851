"""Create the extractor that the caller or the settings select."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from polyadic.config import Settings
from polyadic.extraction.extractor import Extractor
from polyadic.extraction.llm_extractor import LLMExtractor
from polyadic.extraction.sentence_extractor import SentenceExtractor
from polyadic.llm.budget import BudgetProtocol, SpendingBudget, check_prices
from polyadic.llm.cached_model import CachedModel, ResponseCache
from polyadic.llm.language_model import LanguageModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Usage

ExtractorName = Literal["model", "sentences"]


@dataclass(frozen=True, slots=True)
class SelectedExtractor:
    """An extractor and the language model behind it, which meters its usage; None for an extractor without a model."""

    extractor: Extractor
    model: CachedModel | None

    def spent(self) -> Usage:
        """Return the usage of the model so far; zero without a model."""
        return self.model.spent if self.model else Usage()

    def throttle_count(self) -> int:
        """Return how often the model was throttled since it was loaded."""
        return self.model.model.throttle_count if self.model else 0


def wanted(name: ExtractorName | None, settings: Settings) -> ExtractorName:
    """Return the given extractor name, or the one from the settings; ``auto`` means ``model`` if a model is set.

    >>> wanted(None, Settings())
    'sentences'
    """
    if name:
        return name
    if settings.extraction.extractor == "auto":
        return "model" if settings.model.of_role("extraction").name else "sentences"
    return settings.extraction.extractor


def selected(
    name: ExtractorName | None,
    settings: Settings,
    load_model: Callable[[], LanguageModel],
    cache: ResponseCache,
    prompts: PromptLibrary,
    budget: SpendingBudget | None = None,
    ledger: BudgetProtocol | None = None,
) -> SelectedExtractor:
    """Create the extractor with this name, or that of the settings.

    ``load_model`` is called only if the extractor uses a language model; for the other parameters, see
    :func:`with_model`.
    """
    if wanted(name, settings) == "sentences":
        return without_model(settings)
    return with_model(load_model(), cache, prompts, settings, budget, ledger)


def with_model(
    model: LanguageModel,
    cache: ResponseCache,
    prompts: PromptLibrary,
    settings: Settings,
    budget: SpendingBudget | None = None,
    ledger: BudgetProtocol | None = None,
) -> SelectedExtractor:
    """Create the extractor that uses a language model with a response cache and a spending budget.

    Parameters
    ----------
    model
        The language model.
    cache
        The response cache.
    prompts
        The library that holds the extraction prompts.
    settings
        All settings; those of extraction, chunking and the model are used.
    budget
        The spending limit; None for no limit.
    ledger
        The budget shared with other spenders, if there are any.

    Raises
    ------
    SettingsError
        The budget is in money, but the settings define no prices.
    """
    check_prices(budget, settings.model, "extraction")
    cached = CachedModel(model, cache, budget, ledger)
    language, at_once = settings.chunking.language, settings.model.of_role("extraction").at_once
    return SelectedExtractor(LLMExtractor(cached, prompts, settings.extraction, language, at_once), cached)


def without_model(settings: Settings) -> SelectedExtractor:
    """Create the rule-based extractor, which needs no language model."""
    return SelectedExtractor(SentenceExtractor(settings.chunking.language), None)
