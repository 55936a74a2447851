"""OCR while the documents of a run are read, with the budget of the run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from polyadic.config import ModelRole, Settings
from polyadic.indexing.estimate import IndexingEstimate
from polyadic.llm.budget import BudgetLedger, SpendingBudget, check_prices
from polyadic.llm.cached_model import CachedModel, PaidCall
from polyadic.llm.endpoint_model import TOKENS_PER_IMAGE, price
from polyadic.llm.language_model import LanguageModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.store_cache import StoreResponseCache
from polyadic.loaders.ocr.engine import OcrEngine
from polyadic.loaders.ocr.page_cache import StorePageCache
from polyadic.loaders.ocr.parser_endpoint import ParserEndpoint
from polyadic.loaders.ocr.recognizer import CountingRecognizer, EngineRecognizer
from polyadic.loaders.ocr.tesseract import Tesseract
from polyadic.loaders.ocr.vision_model import PURPOSE, VisionModel
from polyadic.model.types import Usage
from polyadic.storage.protocol import Store, UsageTotals

# Tokens sent for a page, the prompt included, and tokens of a full page of text; used before any call was made.
_SENT_PER_PAGE, _RECEIVED_PER_PAGE = TOKENS_PER_IMAGE + 300, 700


@dataclass(frozen=True, slots=True)
class OcrSession:
    """OCR of one run; leaving its context closes the connections of the engine.

    Parameters
    ----------
    ledger
        What the models of the run have spent together.
    recognizer
        Reads scanned pages and pictures; None if OCR is off.
    """

    ledger: BudgetLedger
    recognizer: EngineRecognizer | None = None

    @classmethod
    def off(cls, budget: SpendingBudget | None) -> "OcrSession":
        """Return a session without OCR."""
        return cls(BudgetLedger(budget or SpendingBudget()))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.recognizer:
            await self.recognizer.close()

    def cancel(self) -> None:
        """End the reading of a document early."""
        if self.recognizer:
            self.recognizer.cancel()


@dataclass(frozen=True, slots=True)
class OcrSetup:
    """What OCR of a workspace needs.

    Parameters
    ----------
    settings, prompts
        Settings and prompts of the workspace.
    model
        Returns the language model of a role; raises SettingsError if there is none.
    exists
        Returns whether the store exists.
    open_store
        Returns the store that caches the texts of pages, and creates it if it does not exist.
    """

    settings: Settings
    prompts: PromptLibrary
    model: Callable[[ModelRole], LanguageModel]
    exists: Callable[[], bool]
    open_store: Callable[[], Store]

    def session(self, budget: SpendingBudget | None) -> OcrSession:
        """Open a session on the running event loop.

        Raises
        ------
        ModelUnavailable, SettingsError
            The engine cannot be used, or has no prices for a budget in money.
        """
        session = OcrSession.off(budget)
        engine = self.engine(budget, session.ledger)
        if engine is None:
            return session
        engine.check()
        return OcrSession(session.ledger, EngineRecognizer(engine, self.page_cache))

    def engine(self, budget: SpendingBudget | None, ledger: BudgetLedger) -> OcrEngine | None:
        """Return the engine of the settings, which spends from this ledger; None if OCR is off."""
        ocr = self.settings.ocr
        if ocr.engine == "off":
            return None
        if ocr.engine == "tesseract":
            return Tesseract(ocr)
        if ocr.engine != "model":
            return ParserEndpoint(ocr.engine, ocr)
        check_prices(budget, self.settings.model, "vision")
        cached = CachedModel(self.model("vision"), _PaidCalls(self.open_store), budget, ledger)
        models = self.settings.model
        at_once, section = models.of_role("vision").at_once, models.section_of("vision")
        return VisionModel(cached, self.prompts.get("read_page"), at_once, section)

    def counting_recognizer(self) -> CountingRecognizer | None:
        """Return a recognizer for estimates, which calls no engine; None if OCR is off."""
        engine = self.engine(None, BudgetLedger(SpendingBudget()))
        return CountingRecognizer(engine.name, self.page_cache) if engine else None

    def added_to(
        self, estimate: IndexingEstimate, counted: CountingRecognizer | None, spent: UsageTotals
    ) -> IndexingEstimate:
        """Add the pages to recognize to an estimate, and the usage of a vision model for them.

        ``spent`` has earlier usage by purpose and model, from which the usage of a page is estimated.
        """
        pages = counted.pages if counted else 0
        usage = estimate.usage
        if pages and self.settings.ocr.engine == "model":
            model = self.settings.model.of_role("vision")
            before, _ = spent.get((PURPOSE, model.name), (Usage(), 0.0))
            sent = round(pages * (before.prompt_tokens / before.calls if before.calls else _SENT_PER_PAGE))
            received = round(pages * (before.completion_tokens / before.calls if before.calls else _RECEIVED_PER_PAGE))
            usage += Usage(pages, sent, received, price(sent, received, model))
        return replace(estimate, scanned_pages=pages, usage=usage)

    @property
    def page_cache(self) -> StorePageCache:
        return StorePageCache(self.exists, self.open_store)


class _PaidCalls:
    """A ResponseCache that records paid calls only: the texts of pages are cached by file and page."""

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open_store = open_store

    def get(self, keys: Sequence[str]) -> Mapping[str, tuple[str, bool]]:
        return {}

    def note(self, paid: Sequence[PaidCall]) -> None:
        StoreResponseCache(self._open_store()).note(paid)
