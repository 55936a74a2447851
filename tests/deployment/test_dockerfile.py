"""What a careful reader looks for in the Dockerfile and in what goes into the image."""

import re
import tomllib

import pytest

from tests.deployment.dockerfile import ROOT, health_command, stages

BUILD, FINAL = stages()
MANY = stages()
PINNED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==\S+ \\(?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+$", re.MULTILINE)


def test_base_image_is_pinned_and_shared_by_both_stages() -> None:
    assert BUILD.base == FINAL.base
    image, _, tag = BUILD.base.partition(":")
    assert image == "python" and re.fullmatch(r"3\.\d+-slim-[a-z]+", tag)
    version = tuple(int(part) for part in tag.split("-")[0].split("."))
    least = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert version >= tuple(int(part) for part in least.removeprefix(">=").split("."))
    # How the very same bytes are pinned is said, and can be done without changing the file.
    text = (ROOT / "Dockerfile").read_text()
    assert "@sha256:" in text and "--build-arg BASE=" in text


def test_image_runs_as_a_numeric_non_root_user() -> None:
    user, group = FINAL.one("USER").said.split(":")
    assert int(user) >= 1000 and int(group) >= 1000
    [made] = FINAL.all("RUN")
    assert made.said == f"install -d -m 0750 -o {user} -g {group} /data"
    # Nothing is done as root after that, nor anything given to the user that is installed.
    order = [one.name for one in FINAL.instructions]
    assert order.index("USER") > order.index("RUN")
    assert not any("--chown" in one.said for one in FINAL.all("COPY"))


def test_data_is_on_a_volume() -> None:
    assert FINAL.one("VOLUME").words == ["/data"] and FINAL.one("WORKDIR").said == "/data"
    order = [one.name for one in FINAL.instructions]
    # What a later layer changes below a volume is lost.
    assert order.index("VOLUME") > order.index("RUN")


def test_entrypoint_uses_no_shell() -> None:
    assert FINAL.one("ENTRYPOINT").words == ["polyadic"]
    assert FINAL.one("CMD").words == ["serve", "/data", "--host", "0.0.0.0"]  # noqa: S104 - within a container
    assert FINAL.all("STOPSIGNAL") == []


def test_health_check_uses_the_server_port() -> None:
    [python, option, code] = health_command(FINAL)
    assert (python, option) == ("python", "-c") and "/health" in code
    assert FINAL.one("EXPOSE").said in code
    options = FINAL.one("HEALTHCHECK").options
    assert set(options) == {"interval", "timeout", "start-period", "retries"}
    [waits] = re.findall(r"timeout=(\d+)", code)
    assert int(waits) < int(options["timeout"].removesuffix("s"))


def test_packages_are_installed_by_hash_before_the_code() -> None:
    installing = [one.said for one in BUILD.all("RUN") if "pip install" in one.said]
    packages, itself = installing
    assert "--require-hashes -r requirements-serve.txt" in packages
    assert {"--no-deps", "--no-index", "--no-build-isolation"} <= set(itself.split())
    assert all("--no-cache-dir" in said for said in installing)
    order = [one.said for one in BUILD.instructions]
    assert order.index("requirements-serve.txt ./") < order.index(packages) < order.index("src ./src")
    assert order.index("src ./src") < order.index(itself)
    # No package of the system, no download but by pip and by polyadic itself.
    for one in (*BUILD.all("RUN"), *FINAL.all("RUN")):
        assert not re.search(r"\b(apt|apk|curl|wget|git|sudo)\b", one.said)
    assert not any(one.name == "ADD" for stage in MANY for one in stage.instructions)


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-serve.txt"])
def test_every_package_has_a_version_and_hashes(file: str) -> None:
    text = (ROOT / file).read_text()
    assert text == "".join(match[0] + "\n" for match in PINNED.finditer(text))


def test_image_contains_all_server_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [
        one for name in ("formats", "hierarchy", "mcp", "otel", "postgres", "serve", "build") for one in extras[name]
    ]
    names = {match["name"].lower() for match in PINNED.finditer((ROOT / "requirements-serve.txt").read_text())}
    for one in (*project["dependencies"], *wanted):
        assert re.split(r"[\[<>=!~ ;]", one)[0].lower() in names, one


def test_image_versions_equal_the_tested_ones() -> None:
    def versions(file: str) -> dict[str, str]:
        found = re.findall(r"^(\S+)==(\S+)", (ROOT / file).read_text(), re.MULTILINE)
        return dict(found)

    serving, default = versions("requirements-serve.txt"), versions("requirements.txt")
    assert {name: serving.get(name) for name in default} == default


def test_image_contains_no_secrets() -> None:
    for stage in MANY:
        for one in stage.instructions:
            assert not re.search(r"(?i)\b\w*(key|secret|token|password)\w*=", one.said), one
        for one in stage.all("COPY"):
            if "--from" not in one.options:
                assert one.words[0] not in (".", "./")
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    let_in = {rule[1:] for rule in rules if rule.startswith("!")}
    copied = {word for one in BUILD.all("COPY") for word in one.words[:-1]}
    assert let_in == copied and all((ROOT / name).exists() for name in copied)
