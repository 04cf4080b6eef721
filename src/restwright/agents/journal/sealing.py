"""
Contents of a journal under a key of the user: what was asked, said, sent and answered.

Each session has a key of its own, derived from that of the user (HKDF-SHA256), and each content a
random nonce and its place as associated data (AES-256-GCM), so that none passes for another one.
What a list sorts by stays as it is: ids, times, the kind of agent, the model, hashes of documents,
places and kinds of events.
"""

from __future__ import annotations

import binascii
import os
from base64 import b64decode, b64encode
from functools import lru_cache
from typing import TYPE_CHECKING

from restwright.errors import UsageError
from restwright.net.secret import Secret
from restwright.net.secret_references import resolve_secret

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_PREFIX = "sealed:"
_KEY_BYTES, _NONCE_BYTES, _ID_BYTES = 32, 12, 4
_MARK = b"\x01"


class SealedContent(Exception):
    """A content is sealed with a key that is not given."""


class Contents:
    """
    Seals and opens the contents of one journal; without a key they stay as they are.

    Args:
        key: 32 bytes, as base64 or in hexadecimal, or a reference to them: `env:NAME`, `file:PATH`,
            `keyring:NAME`.

    Raises:
        MissingCredential: There is no key at the reference. Never shows it.
        UsageError: It is no such key.
    """

    def __init__(self, key: Secret | str | None = None) -> None:
        self._key = None if key is None else _read_key(resolve_secret(key).reveal())
        self._id = "" if self._key is None else _derive(self._key, "id")[:_ID_BYTES].hex()

    @property
    def has_key(self) -> bool:
        """Whether what is kept from now on is sealed."""
        return self._key is not None

    def seal(self, session: str, label: str, text: str) -> str:
        """
        Return a content as it is kept.

        Args:
            label: What of the session it is; it can be opened as nothing else.
        """
        if self._key is None:
            return text
        nonce = os.urandom(_NONCE_BYTES)
        sealed = _cipher(self._key, session).encrypt(nonce, text.encode(), label.encode())
        return f"{_PREFIX}{self._id}:{b64encode(nonce + sealed).decode()}"

    def unseal(self, session: str, label: str, kept: str) -> str:
        """
        Return a content as it was before `seal`.

        Raises:
            SealedContent: It needs a key that is not given.
            ValueError: It is damaged, or was kept as something else.
        """
        if not kept.startswith(_PREFIX):
            return kept
        known, _, text = kept.removeprefix(_PREFIX).partition(":")
        if self._key is None or known != self._id:
            raise SealedContent
        from cryptography.exceptions import InvalidTag

        octets = b64decode(text, validate=True)
        nonce, sealed = octets[:_NONCE_BYTES], octets[_NONCE_BYTES:]
        try:
            return _cipher(self._key, session).decrypt(nonce, sealed, label.encode()).decode()
        except InvalidTag:
            raise ValueError(label) from None


def is_sealed(kept: str) -> bool:
    """Whether a content can be read with its key alone."""
    return kept.startswith(_PREFIX)


def octets_from_sealed(kept: str) -> bytes:
    """Return what `seal` returned in a third less bytes."""
    known, _, text = kept.removeprefix(_PREFIX).partition(":")
    return _MARK + bytes.fromhex(known) + b64decode(text)


def sealed_from_octets(octets: bytes) -> str:
    """Return what `octets_from_sealed()` was given; other octets are a text that was not sealed."""
    if not octets.startswith(_MARK):
        return octets.decode()
    known, rest = octets[1 : 1 + _ID_BYTES], octets[1 + _ID_BYTES :]
    return f"{_PREFIX}{known.hex()}:{b64encode(rest).decode()}"


def _read_key(text: str) -> bytes:
    try:
        is_hex = len(text) == 2 * _KEY_BYTES
        key = bytes.fromhex(text) if is_hex else b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if len(key) != _KEY_BYTES:
        how = f"make one: `openssl rand -base64 {_KEY_BYTES}`"
        raise UsageError(f"it is not {_KEY_BYTES} bytes in base64", "the key of the journal", how)
    return key


@lru_cache(maxsize=4_096)
def _cipher(key: bytes, session: str) -> AESGCM:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(_derive(key, f"session:{session}"))


def _derive(key: bytes, purpose: str) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    said = f"restwright journal 1 {purpose}".encode()
    return HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=None, info=said).derive(key)
