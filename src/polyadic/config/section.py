"""Base class of the settings sections."""

from pydantic import BaseModel, ConfigDict


class SettingsSection(BaseModel):
    """Settings section: immutable, without unknown fields, infinity or NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
