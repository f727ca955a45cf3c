"""A receiver of the feed, with nothing but the standard library of Python 3.11.

    FEED_SIGNING_SECRET=… python3 receiver.py
    python3 receiver.py count <event id>
"""

import json
import os
import signal
import sqlite3
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from body import Incomplete, TooLarge, read_body
from event import Unreadable, read_event_id
from signature import Forged, OutsideWindow, verify
from store import Store, count_event

PATH = "/webhooks/feed"


class Server(ThreadingHTTPServer):
    # Connections that wait until they are accepted. The default of 5 drops them in a burst.
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], store: Store, secrets: list[str]) -> None:
        super().__init__(address, Handler)
        self.store = store
        self.secrets = secrets


class Handler(BaseHTTPRequestHandler):
    server: Server
    # Keeps connections open, as senders and proxies expect.
    protocol_version = "HTTP/1.1"
    # Seconds for the head of a request, and for an idle connection.
    timeout = 10
    # Buffers an answer, so that it leaves in one packet.
    wbufsize = -1

    def do_POST(self) -> None:
        if urlsplit(self.path).path != PATH:
            return self.reject(404, "not_found", is_unread=True)
        if self.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
            return self.reject(415, "content_encoding", is_unread=True)
        try:
            body = read_body(self.headers, self.rfile, self.connection)
        except TooLarge:
            return self.reject(413, "body_too_large", is_unread=True)
        except Incomplete:
            return self.reject(503, "body_incomplete", is_unread=True)
        self.connection.settimeout(self.timeout)
        # Nothing looks into the body before its signature holds.
        try:
            verify(self.headers.get_all("Feed-Signature", []), body, self.server.secrets)
        except Forged:
            return self.reject(401, "signature_mismatch")
        except OutsideWindow:
            # A 4xx would pause the feed over a wrong clock. After a 503 the service retries.
            return self.reject(503, "outside_window")
        try:
            status = self.store(body)
        except sqlite3.Error as error:
            self.log_message("The store failed: %s", error)
            return self.reject(503, "store_failed")
        self.answer(200 if status == "duplicate" else 202, {"status": status})

    def store(self, body: bytes) -> str:
        try:
            event_id = read_event_id(body, self.headers.get("Feed-Event-Id"))
        except Unreadable as reason:
            return self.server.store.quarantine(str(reason), body)
        return self.server.store.accept(event_id, body)

    def refuse_method(self) -> None:
        self.reject(405, "method_not_allowed", is_unread=True)

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = refuse_method

    def reject(self, status: int, code: str, is_unread: bool = False) -> None:
        # The unread rest of a body would be taken for the next request.
        self.close_connection = self.close_connection or is_unread
        self.log_message("rejected with %d: %s", status, code)
        self.answer(status, {"error": f"The delivery was rejected: {code}.", "code": code})

    def answer(self, status: int, content: dict[str, str]) -> None:
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        if status == 405:
            self.send_header("Allow", "POST")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def log_request(self, code="-", size="-") -> None:
        """Rejections are logged, with their reason. Accepted deliveries are in the store."""


def read_secrets() -> list[str]:
    """The current secret, and during a rotation the next one."""
    names = ("FEED_SIGNING_SECRET", "FEED_SIGNING_SECRET_NEXT")
    secrets = [secret for name in names if (secret := os.environ.get(name, "").strip())]
    if not secrets or not all(secret.startswith("feed_whsec_") for secret in secrets):
        sys.exit("Set FEED_SIGNING_SECRET to the whole signing secret, which begins with feed_whsec_.")
    return secrets


def main() -> None:
    path = os.environ.get("FEED_DATABASE", "events.db")
    match sys.argv[1:]:
        case ["count", event_id]:
            print(count_event(path, event_id))
        case []:
            serve(path)
        case _:
            sys.exit(__doc__)


def serve(path: str) -> None:
    address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "3000")))
    # The store is ready before the server listens, so that no delivery meets a half-made one.
    server = Server(address, Store(path), read_secrets())

    def stop(*_: object) -> None:
        # A delivery that is cut off has no answer, so the service sends it again.
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    print(f"Listening on http://{address[0]}:{server.server_port}{PATH}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
