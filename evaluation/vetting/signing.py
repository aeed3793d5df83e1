"""Keys at rest and signatures: Ed25519 over the exact bytes of a document, AES-GCM around stored secrets.

Calendars' master keys and private signing keys lie in the ledger wrapped by a key that does not: the
setting ``SPIDERVET_VETTING_KEY``, or the file ``vetting.key`` beside the ledger, made at first need.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import Connection, insert, select, update

from evaluation.settings import Settings
from evaluation.vetting.errors import VettingError
from evaluation.vetting.keys import KEY_BYTES, parse_key
from evaluation.vetting.tables import VetSigningKey

NONCE_BYTES = 12


class KeyUnusableError(VettingError):
    """A stored secret cannot be read with the wrapping key at hand."""


@dataclass(frozen=True)
class PublicKey:
    """A signing key as everybody may see it."""

    id: str
    public: bytes
    created_at: float
    retired_at: float | None


@dataclass(frozen=True)
class Signed:
    """A signature and the key it was made with."""

    key_id: str
    value: bytes


def wrapping_key(settings: Settings) -> bytes:
    """The key around stored secrets. Made on first use where it is a file; mode 0600.

    Raises KeyFormatError for a setting that is no key, OSError where the file cannot be made.
    """
    if settings.vetting_key is not None:
        return parse_key(settings.vetting_key.get_secret_value())
    path = settings.data / "vetting.key"
    settings.data.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return parse_key(path.read_text("ascii").strip())
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_bytes(KEY_BYTES).hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    return parse_key(path.read_text("ascii").strip())


def wrap(settings: Settings, secret: bytes, what: str) -> bytes:
    """Encrypt a secret for storage; ``what`` it is is bound to it."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + AESGCM(wrapping_key(settings)).encrypt(nonce, secret, what.encode())


def unwrap(settings: Settings, wrapped: bytes, what: str) -> bytes:
    """Undo `wrap`. Raises KeyUnusableError."""
    try:
        return AESGCM(wrapping_key(settings)).decrypt(
            wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], what.encode()
        )
    except InvalidTag:
        raise KeyUnusableError(
            f"{what} cannot be read: SPIDERVET_VETTING_KEY or the file vetting.key is not the one it was"
            " stored with"
        ) from None


def key_id(public: bytes) -> str:
    """The name of a public key."""
    return hashlib.sha256(public).hexdigest()[:16]


def sign(conn: Connection, settings: Settings, document: bytes, at: float) -> Signed:
    """Sign with the key in use, which is made if there is none. In the caller's transaction."""
    row = conn.execute(
        select(VetSigningKey.id, VetSigningKey.wrapped)
        .where(VetSigningKey.retired_at.is_(None))
        .order_by(VetSigningKey.created_at.desc())
        .limit(1)
    ).one_or_none()
    name = new_key(conn, settings, at) if row is None else row.id
    wrapped = conn.execute(select(VetSigningKey.wrapped).where(VetSigningKey.id == name)).scalar_one()
    private = Ed25519PrivateKey.from_private_bytes(unwrap(settings, wrapped, f"signing key {name}"))
    return Signed(name, private.sign(document))


def new_key(conn: Connection, settings: Settings, at: float) -> str:
    """Make a key and retire those in use; old signatures stay valid. Returns its id."""
    private = Ed25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw()
    name = key_id(public)
    conn.execute(update(VetSigningKey).where(VetSigningKey.retired_at.is_(None)).values(retired_at=at))
    conn.execute(
        insert(VetSigningKey).values(
            id=name,
            public=public,
            wrapped=wrap(settings, private.private_bytes_raw(), f"signing key {name}"),
            created_at=at,
        )
    )
    return name


def public_keys(conn: Connection) -> list[PublicKey]:
    """Every key, the newest first, retired ones included: they still verify what they signed."""
    rows = conn.execute(
        select(
            VetSigningKey.id, VetSigningKey.public, VetSigningKey.created_at, VetSigningKey.retired_at
        ).order_by(VetSigningKey.created_at.desc())
    )
    return [PublicKey(r.id, r.public, r.created_at, r.retired_at) for r in rows]


def verifies(public: bytes, document: bytes, signature: bytes) -> bool:
    """Whether a signature is of these bytes by this key."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, document)
    except (InvalidSignature, ValueError):
        return False
    return True
