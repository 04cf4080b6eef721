"""A certificate authority for tests, and the certificates that it signs."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True, slots=True)
class Authority:
    """
    Signs certificates; `path` is its own.

    Args:
        folder: Where files are written.
        name: Of the authority.
    """

    folder: Path
    name: str
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def made(cls, folder: Path, name: str = "authority") -> Authority:
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _signed(name, key, name, key, is_authority=True)
        made = cls(folder, name, key, certificate)
        made.path.write_bytes(_pem(certificate))
        return made

    @property
    def path(self) -> Path:
        return self.folder / f"{self.name}.pem"

    def issue(self, subject: str, *, password: str = "") -> tuple[Path, Path]:
        """Write a certificate for the host `subject`, and its key; return both paths."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _signed(subject, key, self.name, self.key, is_authority=False)
        paths = (
            self.folder / f"{self.name}-{subject}.pem",
            self.folder / f"{self.name}-{subject}.key",
        )
        paths[0].write_bytes(_pem(certificate))
        sealed = (
            serialization.BestAvailableEncryption(password.encode())
            if password
            else serialization.NoEncryption()
        )
        paths[1].write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, sealed)
        )
        return paths

    def server(
        self, host: str = "localhost", *, clients: Authority | None = None
    ) -> ssl.SSLContext:
        """Return the context of a server; `clients` signs those that it lets in."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.issue(host))
        if clients:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(clients.path)
        return context


def _signed(
    subject: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    by: ec.EllipticCurvePrivateKey,
    *,
    is_authority: bool,
) -> x509.Certificate:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder(
            _name(issuer), _name(subject), key.public_key(), x509.random_serial_number()
        )
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(subject)]), critical=False)
        .sign(by, hashes.SHA256())
    )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
