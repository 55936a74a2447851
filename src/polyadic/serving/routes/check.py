"""How a workspace is set up, and whether all that it stands on is well."""

from fastapi import APIRouter

from polyadic.serving.access import Name, Reading, Served
from polyadic.serving.checking import check as checked
from polyadic.serving.schemas import CheckView, SettingsView
from polyadic.serving.settings_shown import shown

router = APIRouter(prefix="/v1/workspaces/{workspace}", tags=["workspaces"])


@router.get("/check", summary="Whether all is well")
async def check(workspace: Name, kb: Reading, service: Served) -> CheckView:
    """What `polyadic doctor` finds, but for what it asks a language model. The whole store is looked at."""
    async with service.turns.turn(workspace), service.checks:
        return CheckView(findings=await service.work.run(checked(kb)))


@router.get("/settings", summary="How a workspace is set up")
def settings(workspace: Name, kb: Reading) -> SettingsView:
    """What holds now, of the settings that say how documents are read and questions answered; no address, no key."""
    return shown(kb.settings)
