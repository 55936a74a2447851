"""Health check of the OCR engine and of captions."""

from collections.abc import Iterator

from polyadic.config import Settings
from polyadic.doctor.check_result import CheckResult, bad, good
from polyadic.errors import NO_MODEL, PolyadicError
from polyadic.loaders.ocr.parser_endpoint import ParserEndpoint
from polyadic.loaders.ocr.tesseract import Tesseract


def ocr(settings: Settings) -> Iterator[CheckResult]:
    """Check that the engine and the captions of the settings can be used, without a call; nothing if both are off."""
    engine = settings.ocr.engine
    captions = settings.ocr.captions > 0
    if engine == "off" and not captions:
        return
    try:
        match engine:
            case "tesseract":
                Tesseract(settings.ocr).check()
            case "docling" | "mineru":
                ParserEndpoint(engine, settings.ocr).check()
        if (engine == "model" or captions) and not settings.model.of_role("vision").name:
            raise NO_MODEL
    except PolyadicError as problem:
        yield bad("ocr", problem.what, problem.next_step)
    else:
        used = "captions" if engine == "off" else f"{engine} with captions" if captions else engine
        yield good("ocr", f"set up: {used}; no page was sent")
