"""Recognize pages and describe pictures while the documents of a run are read, with the budget of the run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from polyadic.config import ModelRole, Settings
from polyadic.indexing.indexing_estimate import IndexingEstimate
from polyadic.llm.budget import BudgetLedger, SpendingBudget, check_prices
from polyadic.llm.cached_model import CachedModel, PaidCall, StoreResponseCache
from polyadic.llm.endpoint_model import TOKENS_PER_IMAGE, price
from polyadic.llm.language_model import LanguageModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.loaders.ocr.captions import Captioner, CountingCaptioner, ModelCaptioner
from polyadic.loaders.ocr.engine import OcrEngine
from polyadic.loaders.ocr.image_reader import ImageReader, StorePageCache
from polyadic.loaders.ocr.page_recognizer import CountingRecognizer, EngineRecognizer, PageRecognizer
from polyadic.loaders.ocr.parser_endpoint import ParserEndpoint
from polyadic.loaders.ocr.tesseract import Tesseract
from polyadic.loaders.ocr.vision_model import CAPTIONS, PAGES, VisionModel
from polyadic.model.types import Usage
from polyadic.optional_dependencies import need
from polyadic.storage.protocol import Store, UsageTotals

# Tokens sent for an image, the prompt included, and tokens of its text; used before any call was made.
_SENT_PER_IMAGE = TOKENS_PER_IMAGE + 300
_RECEIVED_PER_PAGE, _RECEIVED_PER_PICTURE = 700, 150


@dataclass(frozen=True, slots=True)
class OcrSession:
    """OCR and captions of one run; leaving its context closes the connections.

    Parameters
    ----------
    ledger
        What the models of the run have spent together.
    recognizer
        Reads scanned pages and pictures; None if OCR is off.
    captioner
        Describes pictures in documents; None without captions.
    readers
        Readers of images that they use.
    """

    ledger: BudgetLedger
    recognizer: PageRecognizer | None = None
    captioner: Captioner | None = None
    readers: Sequence[ImageReader] = ()

    @classmethod
    def off(cls, budget: SpendingBudget | None) -> "OcrSession":
        """Return a session without OCR and captions."""
        return cls(BudgetLedger(budget or SpendingBudget()))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for reader in self.readers:
            await reader.close()

    def cancel(self) -> None:
        """End the reading of a document early."""
        for reader in self.readers:
            reader.cancel()


@dataclass(frozen=True, slots=True)
class OcrSetup:
    """What OCR and captions of a workspace need.

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
            The engine or model cannot be used, or has no prices for a budget in money.
        PackageMissing
            Captions need Pillow.
        """
        session = OcrSession.off(budget)
        if engine := self.engine(budget, session.ledger):
            engine.check()
            reader = ImageReader(engine, self.page_cache)
            session = replace(session, recognizer=EngineRecognizer(reader), readers=[reader])
        if model := self.caption_model(budget, session.ledger):
            need("captions under [ocr]", "formats", PIL="Pillow")
            model.check()
            reader = ImageReader(model, self.page_cache)
            captioner = ModelCaptioner(reader, self.settings.ocr.captions)
            session = replace(session, captioner=captioner, readers=[*session.readers, reader])
        return session

    def engine(self, budget: SpendingBudget | None, ledger: BudgetLedger) -> OcrEngine | None:
        """Return the engine of the settings, which spends from this ledger; None if OCR is off."""
        ocr = self.settings.ocr
        if ocr.engine == "off":
            return None
        if ocr.engine == "tesseract":
            return Tesseract(ocr)
        if ocr.engine != "model":
            return ParserEndpoint(ocr.engine, ocr)
        return self._vision_model("read_page", PAGES, budget, ledger)

    def caption_model(self, budget: SpendingBudget | None, ledger: BudgetLedger) -> VisionModel | None:
        """Return the model that describes pictures, which spends from this ledger; None without captions."""
        if not self.settings.ocr.captions:
            return None
        return self._vision_model("describe_picture", CAPTIONS, budget, ledger)

    def _vision_model(
        self, prompt: str, purpose: str, budget: SpendingBudget | None, ledger: BudgetLedger
    ) -> VisionModel:
        check_prices(budget, self.settings.model, "vision")
        cached = CachedModel(self.model("vision"), _PaidCalls(self.open_store), budget, ledger)
        models = self.settings.model
        at_once, section = models.of_role("vision").at_once, models.section_of("vision")
        return VisionModel(cached, self.prompts.get(prompt), purpose, at_once, section)

    def counting_recognizer(self) -> CountingRecognizer | None:
        """Return a recognizer for estimates, which calls no engine; None if OCR is off."""
        engine = self.engine(None, BudgetLedger(SpendingBudget()))
        return CountingRecognizer(engine.name, self.page_cache) if engine else None

    def counting_captioner(self) -> CountingCaptioner | None:
        """Return a captioner for estimates, which calls no model; None without captions."""
        model = self.caption_model(None, BudgetLedger(SpendingBudget()))
        return CountingCaptioner(model.name, self.page_cache, self.settings.ocr.captions) if model else None

    def added_to(
        self,
        estimate: IndexingEstimate,
        recognizer: CountingRecognizer | None,
        captioner: CountingCaptioner | None,
        spent: UsageTotals,
    ) -> IndexingEstimate:
        """Add the pages to recognize and the pictures to describe to an estimate, and a vision model's usage for them.

        ``spent`` has earlier usage by purpose and model, from which the usage of a page or picture is estimated.
        """
        pages = recognizer.pages if recognizer else 0
        pictures = captioner.pictures if captioner else 0
        usage = estimate.usage + self._usage(pictures, CAPTIONS, _RECEIVED_PER_PICTURE, spent)
        if self.settings.ocr.engine == "model":
            usage += self._usage(pages, PAGES, _RECEIVED_PER_PAGE, spent)
        return replace(estimate, scanned_pages=pages, pictures=pictures, usage=usage)

    def _usage(self, images: int, purpose: str, received_per_image: int, spent: UsageTotals) -> Usage:
        model = self.settings.model.of_role("vision")
        before, _ = spent.get((purpose, model.name), (Usage(), 0.0))
        sent = round(images * (before.prompt_tokens / before.calls if before.calls else _SENT_PER_IMAGE))
        received = round(images * (before.completion_tokens / before.calls if before.calls else received_per_image))
        return Usage(images, sent, received, price(sent, received, model))

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
