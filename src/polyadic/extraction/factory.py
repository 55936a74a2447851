"""Which extractor reads: the one that is asked for, or that the settings name."""

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
    """An extractor, and the language model behind it, which knows what it was paid; None where there is none."""

    extractor: Extractor
    model: CachedModel | None

    def spent(self) -> Usage:
        return self.model.spent if self.model else Usage()

    def slowed(self) -> int:
        """How often the model was slowed down, since it was loaded."""
        return self.model.model.slowed if self.model else 0


def wanted(name: ExtractorName | None, settings: Settings) -> ExtractorName:
    """The one that is asked for, or else the settings' choice: a language model if one is named.

    >>> wanted(None, Settings())
    'sentences'
    """
    if name:
        return name
    if settings.extraction.extractor == "auto":
        return "model" if settings.model.name else "sentences"
    return settings.extraction.extractor


def with_model(
    model: LanguageModel,
    memory: ResponseCache,
    prompts: PromptLibrary,
    settings: Settings,
    budget: SpendingBudget | None = None,
    purse: BudgetProtocol | None = None,
) -> SelectedExtractor:
    """The extractor with a language model, whose replies are remembered, and what may be spent on it.

    ``purse`` keeps the budget where others spend of it as well.

    Raises
    ------
    SettingsError
        The budget is in money, and the settings name no prices.
    """
    check_prices(budget, settings.model)
    asked = CachedModel(model, memory, budget, purse)
    language, at_once = settings.chunking.language, settings.model.at_once
    return SelectedExtractor(LLMExtractor(asked, prompts, settings.extraction, language, at_once), asked)


def without_model(settings: Settings) -> SelectedExtractor:
    """The extractor without one."""
    return SelectedExtractor(SentenceExtractor(settings.chunking.language), None)
