"""Health check of the OCR engine."""

from collections.abc import Iterator

from polyadic.config import Settings
from polyadic.doctor.check_result import CheckResult, bad, good
from polyadic.errors import NO_MODEL, PolyadicError
from polyadic.loaders.ocr.parser_endpoint import ParserEndpoint
from polyadic.loaders.ocr.tesseract import Tesseract


def ocr(settings: Settings) -> Iterator[CheckResult]:
    """Check that the engine of the settings can be used, without a call; nothing if OCR is off."""
    engine = settings.ocr.engine
    if engine == "off":
        return
    try:
        if engine == "tesseract":
            Tesseract(settings.ocr).check()
        elif engine != "model":
            ParserEndpoint(engine, settings.ocr).check()
        elif not settings.model.of_role("vision").name:
            raise NO_MODEL
    except PolyadicError as problem:
        yield bad("ocr", problem.what, problem.next_step)
    else:
        yield good("ocr", f"{engine} is set up; no page was sent")
