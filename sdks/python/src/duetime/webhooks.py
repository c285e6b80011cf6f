"""Is this delivery really from Duetime, and is it fresh? Checked as Standard Webhooks says."""

from __future__ import annotations

import base64
import binascii
import hmac
import re
import time
from collections.abc import Mapping, Sequence

TOLERANCE_SECONDS = 300.0


class WebhookVerificationError(Exception):
    """The delivery was not signed with one of the secrets, or is too old or too new."""


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> str:
    """Returns the delivery id when one of the secrets signed exactly this body. ``body`` is what was received, byte for
    byte: a body that was parsed and written again does not verify."""
    keys = [_secret_bytes(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("verify_webhook needs at least one secret")
    found = {name.lower(): value for name, value in headers.items()}
    id, timestamp, signatures = (found.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (id and timestamp and signatures):
        raise WebhookVerificationError("webhook-id, webhook-timestamp or webhook-signature is missing")
    now = time.time() if now is None else now
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > tolerance_seconds:
        raise WebhookVerificationError("webhook-timestamp is too old or too new")
    content = f"{id}.{timestamp}.".encode() + (body.encode() if isinstance(body, str) else body)
    given = [_base64_bytes(one[3:]) for one in signatures.split(" ") if one.startswith("v1,")]
    # Every signature is compared, so that the time it takes says nothing about which one was right.
    matches = [hmac.compare_digest(one, hmac.digest(key, content, "sha256")) for key in keys for one in given]
    if not any(matches):
        raise WebhookVerificationError("webhook-signature is not right for this body and these secrets")
    return id


def _secret_bytes(secret: str) -> bytes:
    key = _base64_bytes(secret.removeprefix("whsec_"))
    if not key:
        # The message never shows the secret: it ends up in logs.
        raise ValueError("a webhook secret must be whsec_ followed by base64")
    return key


def _base64_bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
