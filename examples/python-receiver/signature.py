"""Verifies the Feed-Signature header over the raw body."""

import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300

# t=<unix>, one to four v1=<64 lowercase hex digits>, and schemes that are yet to come.
FORM = re.compile(
    r"t=(?P<time>0|[1-9][0-9]{0,11})"
    r"(?P<signatures>(?:,v1=[0-9a-f]{64}){1,4})"
    r"(?:,(?!t=|v1=)[a-z][a-z0-9]*=[^,\s]{1,256}){0,4}"
)


class Forged(Exception):
    """Nobody who has a secret signed this body."""


class OutsideWindow(Exception):
    """The signature is genuine, but its time is too far from this clock."""


def verify(headers: list[str], body: bytes, secrets: list[str]) -> None:
    """Returns for a genuine, fresh delivery, and raises for any other.

    Two headers would have two times, so only a single one counts.
    """
    found = FORM.fullmatch(headers[0]) if len(headers) == 1 else None
    if found is None:
        raise Forged
    # The exact text of the header is what was signed, not the number that it means.
    signed = found["time"].encode() + b"." + body
    given = found["signatures"].split(",v1=")[1:]
    expected = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    if not any(hmac.compare_digest(one, other) for one in given for other in expected):
        raise Forged
    # After the signature: a genuine delivery under a wrong clock must not look like a forged one.
    if abs(time.time() - int(found["time"])) > TOLERANCE_SECONDS:
        raise OutsideWindow
