"""The compose file: what it lets a container do, and that what it says is what there is."""

import re
from typing import Any

import yaml

from tests.deployment.dockerfile import ROOT, stages

TEXT = (ROOT / "compose.yaml").read_text()
PROJECT: dict[str, Any] = yaml.safe_load(TEXT)
SERVICE: dict[str, Any] = PROJECT["services"]["polyadic"]
*_, FINAL = stages()


def test_port_is_published_on_loopback_only() -> None:
    [port] = SERVICE["ports"]
    assert port == f"127.0.0.1:{FINAL.one('EXPOSE').said}:{FINAL.one('EXPOSE').said}"


def test_data_is_on_a_named_volume() -> None:
    [data] = FINAL.one("VOLUME").words
    named = dict(volume.split(":") for volume in SERVICE["volumes"] if ":" in volume)
    assert list(named.values()) == [data] and set(named) == set(PROJECT["volumes"])


def test_container_has_minimal_privileges() -> None:
    assert SERVICE["read_only"] is True and SERVICE["cap_drop"] == ["ALL"]
    assert SERVICE["security_opt"] == ["no-new-privileges:true"] and SERVICE["init"] is True
    assert not {"privileged", "user", "network_mode", "pid", "cap_add", "entrypoint", "command"} & set(SERVICE)
    # Elsewhere it cannot write: uploads on their way need a place.
    assert "/tmp" in SERVICE["volumes"]  # noqa: S108 - within a container


def test_stop_grace_period_allows_shutdown() -> None:
    from polyadic.server.server_limits import ServerLimits

    seconds = int(SERVICE["stop_grace_period"].removesuffix("s"))
    assert seconds >= 2 * ServerLimits().closing_seconds


def test_keys_come_from_the_environment_only() -> None:
    assert all(re.fullmatch(r"[A-Z][A-Z0-9_]*", name) for name in SERVICE["environment"])
    assert {"OPENAI_API_KEY", "OTEL_EXPORTER_OTLP_ENDPOINT"} <= set(SERVICE["environment"])


def test_first_start_instructions_agree() -> None:
    first = "docker compose run --rm polyadic keys add /data admin --all --write"
    assert first in TEXT and first in (ROOT / "docs" / "operating.md").read_text()
