"""Alert rules, dashboard and documentation name the metrics that a server has, and no others."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from polyadic.server.tenants.postgres import PostgresTenants
from tests.deployment.dockerfile import ROOT
from tests.server.running_server import running_over
from tests.support import postgres

RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((ROOT / "deploy" / "prometheus" / "rules.yaml").read_text())["groups"]
    for rule in group["rules"]
]
DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy" / "grafana" / "polyadic.json").read_text())
SCRAPING = yaml.safe_load((ROOT / "deploy" / "prometheus" / "prometheus.yaml").read_text())
QUERIES = [rule["expr"] for rule in RULES] + [
    target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]
]
PAGE = (ROOT / "docs" / "operating.md").read_text()
LABELS = {"method", "route", "status", "state", "direction"}
"""Labels of the server's metrics; Prometheus adds job, instance and le."""


@pytest.fixture(scope="module")
def metrics(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """What a server over a database tells Prometheus, once it was asked something."""
    folder: Path = tmp_path_factory.mktemp("settings")
    with running_over(PostgresTenants(postgres.own_database(), folder), folder) as server, server.client() as client:
        client.get("/v1/workspaces")
        yield client.get("/metrics").text


def described(metrics: str) -> set[str]:
    """The names as Prometheus stores them; a histogram also has _bucket, _sum and _count."""
    names = set()
    families = text_string_to_metric_families(metrics)
    # The client library adds the time at which each counter began.
    for family in (one for one in families if not one.name.endswith("_created")):
        endings = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}.get(family.type, ("",))
        names |= {f"{family.name}{ending}" for ending in endings}
    return names


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_names_metrics_and_labels_that_exist(query: str, metrics: str) -> None:
    names = set(re.findall(r"\bpolyadic_\w+", query))
    assert names <= described(metrics)
    assert names or query.startswith('up{job="polyadic"}')
    used = set(re.findall(r"(\w+)\s*=~?\s*\"", query)) | set(re.findall(r"by \((\w+)\)", query))
    assert used <= LABELS | {"job", "instance", "le"}
    assert query.count("(") == query.count(")") and query.count("{") == query.count("}")


def test_the_states_of_jobs_are_those_that_there_are(metrics: str) -> None:
    states = {state for query in QUERIES for state in re.findall(r'polyadic_jobs\{state="(\w+)"\}', query)}
    assert states and all(f'polyadic_jobs{{state="{state}"}}' in metrics for state in states)


def test_each_alert_says_what_is_wrong_and_what_to_do() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"] and rule["annotations"]["description"]


def test_prometheus_scrapes_under_the_name_that_the_rules_expect() -> None:
    assert SCRAPING["rule_files"] == ["rules.yaml"]
    [job] = SCRAPING["scrape_configs"]
    assert job["job_name"] == "polyadic" and job["authorization"]["credentials_file"]


def test_panels_do_not_overlap_and_use_the_chosen_source() -> None:
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
    assert {panel["datasource"]["uid"] for panel in DASHBOARD["panels"]} == {"${datasource}"}


def test_every_metric_is_documented(metrics: str) -> None:
    table = set(re.findall(r"^\| `(polyadic_\w+)`", PAGE, re.MULTILINE))
    exposed = {re.sub(r"_(?:bucket|sum|count)$", "", name) for name in described(metrics)}
    assert table == {name for name in exposed if name.startswith("polyadic_")}
