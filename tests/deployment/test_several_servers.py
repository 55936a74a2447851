"""The files for several servers over PostgreSQL: they hold together, and what they run accepts them."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from polyadic.cli.serve import command as serve
from polyadic.config import EmbeddingSettings, Settings
from polyadic.model.types import Document
from polyadic.server.routes import monitoring
from polyadic.server.server_limits import ServerLimits
from polyadic.workspace import Workspace
from tests.deployment.dockerfile import ROOT, stages
from tests.deployment.nginx import program
from tests.support import postgres
from tests.support.own_server import own_folder, own_server
from tests.support.psql import address_of

DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
SERVERS = sorted(name for name in SERVICES if name.startswith("polyadic-"))
NGINX = (DEPLOY / "compose" / "nginx.conf").read_text()
MANIFESTS: dict[str, Any] = {
    one["kind"]: one for one in yaml.safe_load_all((DEPLOY / "kubernetes" / "polyadic.yaml").read_text())
}
POD: dict[str, Any] = MANIFESTS["Deployment"]["spec"]["template"]
[CONTAINER] = POD["spec"]["containers"]
PATHS = {route.path for route in monitoring.probes_router.routes if hasattr(route, "path")}
*_, FINAL = stages()
GRACE = 2 * ServerLimits().closing_seconds


def parsed(arguments: list[str], folders: dict[str, Path]) -> dict[str, Any]:
    """What ``polyadic serve`` makes of its arguments, with folders of a container replaced."""
    verb, *rest = [str(folders.get(one, one)) for one in arguments]
    assert verb == "serve"
    return serve.make_context(verb, rest).params


def location(text: str) -> list[str]:
    """The directives for requests."""
    block = re.sub(r"#.*", "", text.partition("location / {")[2].partition("}")[0])
    return [" ".join(directive.split()) for directive in block.split(";") if directive.strip()]


# compose


def test_three_servers_are_alike_and_all_behind_nginx(tmp_path: Path) -> None:
    assert len(SERVERS) == 3 and all(SERVICES[name] == SERVICES[SERVERS[0]] for name in SERVERS)
    said = parsed(SERVICES[SERVERS[0]]["command"], {"/data": tmp_path})
    assert said["place"] == "postgresql://polyadic@postgres/kb" and said["host"] == "0.0.0.0"  # noqa: S104
    port = FINAL.one("EXPOSE").said
    assert re.findall(r"server ([\w-]+):(\d+)", NGINX) == [(name, port) for name in SERVERS]
    assert sorted(SERVICES["nginx"]["depends_on"]) == SERVERS


def test_nginx_treats_requests_as_the_complete_configuration_does() -> None:
    assert location(NGINX) == location((DEPLOY / "nginx.conf").read_text())
    assert re.findall(r"client_\w+\s+\w+", NGINX) == re.findall(
        r"client_\w+\s+\w+", (DEPLOY / "nginx.conf").read_text()
    )


def test_nginx_accepts_its_file(tmp_path: Path) -> None:
    own = re.sub(r"server polyadic-\d", "server 127.0.0.1", NGINX)
    (tmp_path / "nginx.conf").write_text(f"pid {tmp_path}/pid; events {{}} http {{ {own} }}")
    checked = subprocess.run(
        [program(), "-t", "-c", str(tmp_path / "nginx.conf")], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def test_servers_may_do_no_more_than_they_have_to() -> None:
    for name in SERVERS:
        one = SERVICES[name]
        assert one["read_only"] is True and one["cap_drop"] == ["ALL"] and "ports" not in one
        assert int(one["stop_grace_period"].removesuffix("s")) >= GRACE
        assert one["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert "ports" not in SERVICES["postgres"]
    [port] = SERVICES["nginx"]["ports"]
    assert port.startswith("127.0.0.1:")


def test_files_and_volumes_that_are_mounted_exist() -> None:
    for service in SERVICES.values():
        for source, *_ in (volume.split(":") for volume in service["volumes"]):
            assert source.startswith("/") or source in COMPOSE["volumes"] or (DEPLOY / "compose" / source).is_file(), (
                source
            )


def test_passwords_come_from_the_environment() -> None:
    environments = [service["environment"] for service in SERVICES.values() if "environment" in service]
    values = [value for one in environments for name, value in one.items() if "PASSWORD" in name]
    assert values and all(re.fullmatch(r"\$\{\w+:\?write it into \.env\}", value) for value in values)


@pytest.mark.slow
def test_the_script_sets_a_database_up(tmp_path: Path) -> None:
    password = "it's a $ecret\"\\"  # noqa: S105
    with own_folder() as folder, own_server(folder) as server:
        environment = {
            "PATH": f"{server.programs}:{os.environ['PATH']}",
            "PGHOST": server.database.rpartition("host=")[2],
            "POLYADIC_PASSWORD": password,
        }
        script = DEPLOY / "compose" / "create-database.sh"
        subprocess.run([str(script)], env=environment, check=True, capture_output=True)
        server.allow("local kb polyadic scram-sha-256")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PGPASSWORD", password)
            settings = Settings(embedding=EmbeddingSettings(model="hashing"))
            with Workspace(f"{address_of(server, 'polyadic', 'kb')}#letters", settings) as kb:
                kb.add([Document("memory:1", "Letters", "Jonas Orth wrote to Mira Falk in Turin.")])
                assert "Jonas Orth" in kb.query("Who wrote to Mira Falk?").text


def test_the_server_accepts_the_settings_of_postgresql() -> None:
    text = re.sub(r"#.*", "", (DEPLOY / "postgres" / "polyadic.conf").read_text())
    pairs = re.findall(r"^(\w+) = '?(.+?)'?$", text, re.MULTILINE)
    assert len(pairs) == len([line for line in text.splitlines() if line.strip()])
    with psycopg.connect(postgres.server(), autocommit=True) as raw:
        try:
            for name, value in pairs:
                raw.execute(psycopg.sql.SQL("ALTER SYSTEM SET {} = {}").format(psycopg.sql.Identifier(name), value))
        finally:
            raw.execute("ALTER SYSTEM RESET ALL")


# Kubernetes


def test_the_container_runs_what_the_image_offers(tmp_path: Path) -> None:
    said = parsed(CONTAINER["args"], {"/settings": tmp_path, "/keys/keys.json": tmp_path / "keys.json"})
    assert said["place"].startswith("postgresql://") and "@" in said["place"] and said["keys"] and said["settings"]
    [port] = CONTAINER["ports"]
    assert str(port["containerPort"]) == FINAL.one("EXPOSE").said
    user, group = FINAL.one("USER").said.split(":")
    security = POD["spec"]["securityContext"]
    assert (str(security["runAsUser"]), str(security["runAsGroup"])) == (user, group) and security["runAsNonRoot"]
    assert POD["spec"]["terminationGracePeriodSeconds"] >= GRACE


def test_only_readiness_depends_on_the_database() -> None:
    probes = {name: CONTAINER[name]["httpGet"]["path"] for name in CONTAINER if name.endswith("Probe")}
    assert probes == {"readinessProbe": "/ready", "livenessProbe": "/health", "startupProbe": "/health"}
    assert set(probes.values()) <= PATHS


def test_what_is_named_is_there() -> None:
    names = {volume["name"] for volume in POD["spec"]["volumes"]}
    assert {mount["name"] for mount in CONTAINER["volumeMounts"]} == names
    text = (DEPLOY / "kubernetes" / "polyadic.yaml").read_text()
    [settings] = [volume["configMap"]["name"] for volume in POD["spec"]["volumes"] if "configMap" in volume]
    assert settings == MANIFESTS["ConfigMap"]["metadata"]["name"]
    secrets = {volume["secret"]["secretName"] for volume in POD["spec"]["volumes"] if "secret" in volume}
    secrets |= {one["valueFrom"]["secretKeyRef"]["name"] for one in CONTAINER["env"]}
    assert all(f"create secret generic {name} " in text for name in secrets)
    labels = POD["metadata"]["labels"]
    assert MANIFESTS["Service"]["spec"]["selector"] == labels
    for kind in ("Deployment", "PodDisruptionBudget"):
        assert MANIFESTS[kind]["spec"]["selector"]["matchLabels"] == labels
    [rule] = MANIFESTS["Ingress"]["spec"]["rules"]
    service = rule["http"]["paths"][0]["backend"]["service"]
    assert service["name"] == MANIFESTS["Service"]["metadata"]["name"]
    assert service["port"]["name"] == MANIFESTS["Service"]["spec"]["ports"][0]["name"]
    assert MANIFESTS["Service"]["spec"]["ports"][0]["targetPort"] == CONTAINER["ports"][0]["name"]


def test_the_ingress_treats_requests_as_nginx_does() -> None:
    annotations = MANIFESTS["Ingress"]["metadata"]["annotations"]
    settings = {name.rpartition("/proxy-")[2].replace("-", "_"): value for name, value in annotations.items()}
    directives = dict(one.split(None, 1) for one in location((DEPLOY / "nginx.conf").read_text()))
    assert settings.pop("body_size") in (DEPLOY / "nginx.conf").read_text()
    assert settings.pop("read_timeout") == directives["proxy_read_timeout"].removesuffix("s")
    assert settings == {name: directives[f"proxy_{name}"] for name in settings}
