"""Settings of language models: one for all purposes, or one per role."""

from typing import Literal, Self, get_args

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from polyadic.config.section import SettingsSection

ModelRole = Literal["extraction", "answers", "judging", "summaries", "vision"]
"""What a language model is used for.

``extraction``: facts. ``answers``: answers, and the questions that precede them (condensing, names in a question).
``judging``: judges and generated questions of an evaluation, entity review. ``summaries``: the hierarchy. ``vision``:
scanned pages, and captions of pictures.
"""

MODEL_ROLES: tuple[ModelRole, ...] = get_args(ModelRole)


class EndpointSettings(SettingsSection):
    """Endpoint of a model: any server with an OpenAI-compatible API."""

    base_url: str = Field(
        default="", description="such as http://localhost:11434/v1; empty: OPENAI_BASE_URL, else OpenAI"
    )
    key_variable: str = Field(
        default="OPENAI_API_KEY", description="environment variable with the API key; empty: no key needed"
    )
    azure_api_version: str = Field(default="", description="Azure only: API version, such as 2024-10-21")
    at_once: int = Field(
        default=16,
        ge=1,
        le=1000,
        description="maximum concurrent calls; this and the two limits below apply to each event loop",
    )
    requests_per_minute: int = Field(default=0, ge=0, description="maximum calls per minute; 0: no limit")
    tokens_per_minute: int = Field(default=0, ge=0, description="maximum tokens per minute; 0: no limit")
    timeout: float = Field(default=180.0, gt=0, description="timeout of a request in seconds")
    retries: int = Field(default=5, ge=0, le=100, description="maximum retries after a transient error")
    prompt_price: float = Field(default=0.0, ge=0, description="price per million tokens sent")


class LanguageModelSettings(EndpointSettings):
    """Settings of one language model."""

    name: str = Field(default="", description="model name at the endpoint (Azure: name of the deployment)")
    context_tokens: int = Field(
        default=16_000, ge=1000, description="context window of the model in tokens, including the reply"
    )
    output_tokens: int = Field(
        default=8000, ge=100, description="maximum tokens of a reply; less if context_tokens leaves no room"
    )
    temperature: float = Field(
        default=0.0, ge=0, le=2, description="sampling temperature; 0: as deterministic as the model allows"
    )
    json_mode: Literal["auto", "schema", "object", "text"] = Field(
        default="auto",
        description="how to request JSON: schema, object, text (prompt only), or auto: the first that works",
    )
    completion_price: float = Field(default=0.0, ge=0, description="price per million tokens received")
    batch_discount: float = Field(
        default=0.0, ge=0, le=1, examples=[0.5], description="discount on the prices for batch files, as a fraction"
    )


class RoleModelSettings(LanguageModelSettings):
    """Language model of a role; settings left out are those of ``[model]``."""

    @model_serializer(mode="wrap")
    def _without_unset(self, serialize: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Dump only the settings given, so that the others still fall back when the dump is read."""
        return {name: value for name, value in serialize(self).items() if name in self.model_fields_set}


class ModelSettings(LanguageModelSettings):
    """Language model; without a name, no language model is used."""

    extraction: RoleModelSettings | None = Field(default=None, description="model that extracts facts")
    answers: RoleModelSettings | None = Field(default=None, description="model that answers questions")
    judging: RoleModelSettings | None = Field(
        default=None,
        description="model that checks claims, judges answers, writes questions for evaluations and reviews entities",
    )
    summaries: RoleModelSettings | None = Field(
        default=None, description="model that writes the summaries and reports of the hierarchy"
    )
    vision: RoleModelSettings | None = Field(
        default=None,
        description="model that reads scanned pages and pictures, if engine or captions under [ocr] says so",
    )

    @model_validator(mode="after")
    def _check_keys(self) -> Self:
        """Require a key of its own for another address, so that no key is sent to the wrong endpoint."""
        for role in MODEL_ROLES:
            given = self.given(role)
            moved = "base_url" in given and given["base_url"] != self.base_url
            if moved and self.key_variable and "key_variable" not in given:
                raise ValueError(
                    f"{role} sets another base_url: set its key_variable as well, empty if it needs no key"
                )
        return self

    def given(self, role: ModelRole) -> dict[str, object]:
        """Return the settings in the section of a role, without those that it leaves to ``[model]``."""
        section: RoleModelSettings | None = getattr(self, role)
        return section.model_dump() if section else {}

    def of_role(self, role: ModelRole) -> "ModelSettings":
        """Return the settings of the model for a role: those in its section, else those of ``[model]``.

        >>> settings = ModelSettings(name="large", retries=1, extraction=RoleModelSettings(name="small"))
        >>> [(model.name, model.retries) for model in map(settings.of_role, ("extraction", "answers"))]
        [('small', 1), ('large', 1)]
        """
        return self.model_copy(update=dict.fromkeys(MODEL_ROLES) | self.given(role))

    def with_name(self, role: ModelRole, name: str) -> Self:
        """Return a copy in which the model of a role has this name, if it is not empty.

        >>> ModelSettings(name="a", retries=1).with_name("judging", "b").of_role("judging").name
        'b'
        """
        section = RoleModelSettings.model_validate({**self.given(role), "name": name})
        return self.model_copy(update={role: section}) if name else self

    def section_of(self, role: ModelRole) -> str:
        """Return the name of the section to change for a role, for messages.

        >>> ModelSettings(extraction=RoleModelSettings(name="small")).section_of("extraction")
        'model.extraction'
        """
        return f"model.{role}" if self.given(role) else "model"
