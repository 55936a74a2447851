"""Routes for the health check and the settings of a workspace."""

from fastapi import APIRouter

from polyadic.server.dependencies import Name, Reading, ReadingAll, Served
from polyadic.server.health_check import check as checked
from polyadic.server.openapi import errors
from polyadic.server.public_settings import shown
from polyadic.server.schemas import HealthCheckView, SettingsView

router = APIRouter(prefix="/v1/workspaces/{workspace}", tags=["workspaces"])


@router.get("/check", summary="Check a workspace", responses=errors(502, 504))
async def check(workspace: Name, kb: ReadingAll, service: Served) -> HealthCheckView:
    """Run the checks of `polyadic doctor`, except those that call a language model. Reads the whole store."""
    async with service.turns.turn(workspace), service.checks:
        return HealthCheckView(findings=await service.work.run(checked(kb)))


@router.get("/settings", summary="Get the settings of a workspace")
def settings(workspace: Name, kb: Reading) -> SettingsView:
    """Return the settings that control indexing and answers; addresses and keys are left out."""
    return shown(kb.settings)
