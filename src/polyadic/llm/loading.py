"""Load the language model that the settings name."""

from polyadic.config import ModelSettings
from polyadic.llm.language_model import LanguageModel


def load_language_model(settings: ModelSettings) -> LanguageModel | None:
    """Load the language model that the settings name; None if they name none. No call is made.

    >>> load_language_model(ModelSettings()) is None
    True
    """
    if not settings.name:
        return None
    # Imported late: the client takes half a second to load.
    from polyadic.llm.endpoint_model import EndpointModel

    return EndpointModel(settings)
