"""Reads the body of a request, which http.server leaves to its user."""

import io
import re
import socket
import time
from email.message import Message

LIMIT_BYTES = 1024 * 1024
# Below the 10 s of the service, so that it still gets an answer.
LIMIT_SECONDS = 8


class TooLarge(Exception):
    """The body is over the limit."""


class Incomplete(Exception):
    """The body ended early, took too long, or its length is unclear."""


def read_body(headers: Message, stream: io.BufferedIOBase, connection: socket.socket) -> bytes:
    """Reads a body with a Content-Length, or in chunks. Raises TooLarge or Incomplete."""
    reader = _Reader(stream, connection)
    lengths = set(headers.get_all("Content-Length", []))
    codings = [coding.lower() for coding in headers.get_all("Transfer-Encoding", [])]
    # With two lengths, a proxy and this program might disagree on where the next request begins.
    if len(lengths) + len(codings) > 1 or codings not in ([], ["chunked"]):
        raise Incomplete
    try:
        if codings:
            return _read_chunks(reader)
        length = lengths.pop() if lengths else "0"
        if not re.fullmatch("[0-9]{1,15}", length):
            raise Incomplete
        return reader.read(int(length))
    except OSError:
        raise Incomplete from None


def _read_chunks(reader: "_Reader") -> bytes:
    body = b""
    while True:
        size = re.match(rb"([0-9A-Fa-f]{1,8})(?:;.*)?$", reader.read_line())
        if size is None:
            raise Incomplete
        if int(size[1], 16) == 0:
            break
        body += reader.read(int(size[1], 16))
        if reader.read_line() != b"":
            raise Incomplete
    # Trailers, which nobody needs.
    for _ in range(16):
        if reader.read_line() == b"":
            return body
    raise Incomplete


class _Reader:
    """Reads exact numbers of bytes, until a deadline and up to the limit."""

    def __init__(self, stream: io.BufferedIOBase, connection: socket.socket) -> None:
        self._stream = stream
        self._connection = connection
        self._deadline = time.monotonic() + LIMIT_SECONDS
        self._left = LIMIT_BYTES

    def read(self, size: int) -> bytes:
        self._left -= size
        if self._left < 0:
            raise TooLarge
        return self._receive(size)

    def read_line(self) -> bytes:
        """Reads a line between chunks, which is not a part of the body."""
        line = b""
        while not line.endswith(b"\r\n"):
            if len(line) > 256:
                raise Incomplete
            line += self._receive(1)
        return line[:-2]

    def _receive(self, size: int) -> bytes:
        parts = []
        while size > 0:
            # A timeout of the socket alone would begin anew with each byte that drips in.
            seconds = self._deadline - time.monotonic()
            if seconds <= 0:
                raise Incomplete
            self._connection.settimeout(seconds)
            part = self._stream.read1(min(size, 65536))
            if part == b"":
                raise Incomplete
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
