"""Which extractor reads: the one that is asked for, or that the settings name."""

from dataclasses import dataclass
from typing import Literal

from polyadic.construction.extractor import Extractor
from polyadic.construction.model_facts import ModelExtractor
from polyadic.construction.sentence_facts import SentenceExtractor
from polyadic.knowledge import Usage
from polyadic.models.budget import Budget, Pays, check_prices
from polyadic.models.language_model import LanguageModel
from polyadic.models.remembering import Memory, Remembering
from polyadic.prompts.library import Prompts
from polyadic.settings import Settings

ExtractorName = Literal["model", "sentences"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """An extractor, and the language model behind it, which knows what it was paid; None where there is none."""

    extractor: Extractor
    model: Remembering | None

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
    memory: Memory,
    prompts: Prompts,
    settings: Settings,
    budget: Budget | None = None,
    purse: Pays | None = None,
) -> Chosen:
    """The extractor with a language model, whose replies are remembered, and what may be spent on it.

    ``purse`` keeps the budget where others spend of it as well.

    Raises
    ------
    SettingsError
        The budget is in money, and the settings name no prices.
    """
    check_prices(budget, settings.model)
    asked = Remembering(model, memory, budget, purse)
    language, at_once = settings.chunking.language, settings.model.at_once
    return Chosen(ModelExtractor(asked, prompts, settings.extraction, language, at_once), asked)


def without_model(settings: Settings) -> Chosen:
    """The extractor without one."""
    return Chosen(SentenceExtractor(settings.chunking.language), None)
