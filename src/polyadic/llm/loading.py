"""Load the language models that the settings name."""

from polyadic.config import ModelRole, ModelSettings
from polyadic.llm.language_model import LanguageModel


def load_language_model(settings: ModelSettings, role: ModelRole) -> LanguageModel | None:
    """Load the language model of a role; None if the settings name none. No call is made.

    >>> load_language_model(ModelSettings(), "answers") is None
    True
    """
    if not settings.of_role(role).name:
        return None
    # Imported late: the client takes half a second to load.
    from polyadic.llm.endpoint_model import EndpointModel

    return EndpointModel(settings.of_role(role), section=settings.section_of(role))


class RoleModels:
    """The language model of each role, loaded on first use.

    Roles with the same settings share one model, so that its limits apply to them together.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._loaded: dict[ModelSettings, LanguageModel | None] = {}

    def of(self, role: ModelRole) -> LanguageModel | None:
        """Return the model of a role; None if the settings name none."""
        settings = self._settings.of_role(role)
        if settings not in self._loaded:
            self._loaded[settings] = load_language_model(self._settings, role)
        return self._loaded[settings]

    async def close(self) -> None:
        """Close the connections of all models."""
        for model in self._loaded.values():
            if model is not None:
                await model.close()
