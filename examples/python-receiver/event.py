"""Reads an event from a verified body."""

import json
import unicodedata


class Unreadable(Exception):
    """The body is authentic, but no event that this receiver understands. Its text is the reason."""


def read_event_id(body: bytes, id_header: str | None) -> str:
    """Returns the id of the event in a body.

    Unknown types, values and members are fine. Everything else that is unexpected goes into
    quarantine, because a 4xx for one odd event would pause the whole feed.
    """
    try:
        # Bytes alone would let json guess the encoding. It raises RecursionError for deep nesting.
        event = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Unreadable("not_json") from None
    if not isinstance(event, dict):
        raise Unreadable("not_an_event")
    if event.get("schema_version") != "1.0":
        raise Unreadable("unknown_schema_version")
    texts = [event.get(name) for name in ("id", "type", "created_at")]
    if not all(isinstance(text, str) for text in texts) or not isinstance(event.get("data"), dict):
        raise Unreadable("not_an_event")
    event_id: str = event["id"]
    # Cc: control characters. Cs: lone surrogates, which no database can store.
    has_bad = any(unicodedata.category(each) in ("Cc", "Cs") for each in event_id)
    if has_bad or not 1 <= len(event_id) <= 255:
        raise Unreadable("not_an_event")
    # Only the body is signed. http.server decodes headers as Latin-1.
    if id_header is not None and id_header.encode("latin-1") != event_id.encode():
        raise Unreadable("id_differs")
    return event_id
