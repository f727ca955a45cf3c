"""Verifies the Feed-Signature header over the raw body."""

import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300

TIME_FORM = re.compile(r"t=(0|[1-9][0-9]{0,11})")
SIGNATURE_FORM = re.compile(r"v1=([0-9a-f]{64})")
MAX_MEMBERS = 32


class Forged(Exception):
    """Nobody who has a secret signed this body."""


class OutsideWindow(Exception):
    """The signature is genuine, but its time is too far from this clock."""


def verify(headers: list[str], body: bytes, secrets: list[str]) -> None:
    """Returns for a genuine, fresh delivery, and raises for any other."""
    signed_at, given = read_signature(headers)
    # The exact text of the header is what was signed, not the number that it means.
    signed = signed_at.encode() + b"." + body
    expected = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    if not any(hmac.compare_digest(one, other) for one in given for other in expected):
        raise Forged
    # After the signature: a genuine delivery under a wrong clock must not look like a forged one.
    if abs(time.time() - int(signed_at)) > TOLERANCE_SECONDS:
        raise OutsideWindow


def read_signature(headers: list[str]) -> tuple[str, list[str]]:
    """Reads each v1=<64 lowercase hex digits> and the t=<unix> before it, and ignores other schemes.

    A proxy may have added white space, or repeated or replaced the header. So a time counts only if
    a signature follows it, and equal times count as one.
    """
    found, times, signatures = None, set(), []
    for member in ",".join(headers).split(",", MAX_MEMBERS)[:MAX_MEMBERS]:
        member = member.strip()
        if member.startswith("t="):
            found = TIME_FORM.fullmatch(member)
        elif found and (form := SIGNATURE_FORM.fullmatch(member)):
            times.add(found[1])
            signatures.append(form[1])
    if len(times) != 1:
        raise Forged
    return times.pop(), signatures
