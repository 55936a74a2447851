"""What every section of the settings has in common."""

from pydantic import BaseModel, ConfigDict


class SettingsSection(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
