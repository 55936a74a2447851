"""How a workspace is set up, and whether all that it stands on is well."""

from fastapi import APIRouter

from polyadic.server.dependencies import Name, Reading, Served
from polyadic.server.health_check import check as checked
from polyadic.server.public_settings import shown
from polyadic.server.schemas import HealthCheckView, SettingsView

router = APIRouter(prefix="/v1/workspaces/{workspace}", tags=["workspaces"])


@router.get("/check", summary="Whether all is well")
async def check(workspace: Name, kb: Reading, service: Served) -> HealthCheckView:
    """What `polyadic doctor` finds, but for what it asks a language model. The whole store is looked at."""
    async with service.turns.turn(workspace), service.checks:
        return HealthCheckView(findings=await service.work.run(checked(kb)))


@router.get("/settings", summary="How a workspace is set up")
def settings(workspace: Name, kb: Reading) -> SettingsView:
    """What holds now, of the settings that say how documents are read and questions answered; no address, no key."""
    return shown(kb.settings)
