"""nginx with the configuration of deploy/, before servers of this machine."""

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.deployment.dockerfile import ROOT
from tests.server.running_server import wait_until

CONFIGURATION = ROOT / "deploy" / "nginx.conf"
_FRAME = """
worker_processes 2;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
{user}
events {{ worker_connections 512; }}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/polyadic.conf;
}}
"""


def program() -> str:
    """Where nginx is; the test is passed over where it is not, but never under CI."""
    found = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None and not os.environ.get("CI"):
        pytest.skip("nginx is not installed")
    assert found is not None
    return found


def adapted(text: str, folder: Path, servers: Sequence[int], ports: Sequence[int]) -> str:
    """The configuration with the operator's own put in: ports to listen at, certificates, servers."""
    text = re.sub(r"^\s*listen \[::\].*\n", "", text, flags=re.MULTILINE)
    for number, port in zip((80, 443), ports, strict=True):
        text, found = re.subn(rf"listen {number}\b", f"listen 127.0.0.1:{port}", text)
        assert found == 1
    text = re.sub(r"(ssl_certificate(?:_key)?)\s+\S+/(\w+\.pem);", rf"\1 {folder}/\2;", text)
    [line] = re.findall(r"^.*server 127\.0\.0\.1:8765.*$", text, flags=re.MULTILINE)
    return text.replace(line, "\n".join(line.replace("8765", str(port)) for port in servers))


@contextmanager
def nginx(folder: Path, servers: Sequence[int]) -> Iterator[str]:
    """Runs before the servers at these ports; gives the address at which people would come."""
    folder.mkdir()
    certify(folder)
    ports = free_ports(2)
    (folder / "polyadic.conf").write_text(adapted(CONFIGURATION.read_text(), folder, servers, ports))
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(_FRAME.format(folder=folder, user=user))
    process = subprocess.Popen([program(), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"])
    try:
        wait_until(lambda: answers(ports[1]) or process.poll() is not None)
        assert process.poll() is None, (folder / "error.log").read_text()
        yield f"https://127.0.0.1:{ports[1]}"
    finally:
        process.terminate()
        process.wait(10)


def certify(folder: Path) -> None:
    """A certificate that nobody has signed, and its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    named = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    lasting = named.not_valid_before(now).not_valid_after(now + timedelta(days=1))
    signed = lasting.serial_number(x509.random_serial_number()).sign(key, hashes.SHA256())
    (folder / "fullchain.pem").write_bytes(signed.public_bytes(Encoding.PEM))
    private_key = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "privkey.pem").write_bytes(private_key)


def free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
