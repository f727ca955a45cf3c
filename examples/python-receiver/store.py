"""Stores each event once, in SQLite."""

import hashlib
import sqlite3
import threading
from pathlib import Path

TABLES = """
create table if not exists event (
  id text primary key,
  body blob not null,
  sha256 blob not null,
  received_at text not null default current_timestamp,
  handled_at text
);
create table if not exists quarantine (
  reason text not null,
  sha256 blob not null,
  body blob not null,
  received_at text not null default current_timestamp,
  primary key (reason, sha256)
);
"""


class Store:
    def __init__(self, path: str) -> None:
        # Without an isolation level each statement is a transaction, committed when it returns.
        self._database = sqlite3.connect(
            path, timeout=5, isolation_level=None, check_same_thread=False
        )
        self._database.execute("pragma journal_mode = wal")
        # A commit is on disk before the answer: after a 2xx the service never sends it again.
        self._database.execute("pragma synchronous = full")
        self._database.executescript(TABLES)
        # Threads share one connection. SQLite writes one transaction at a time anyway.
        self._lock = threading.Lock()

    def accept(self, event_id: str, body: bytes) -> str:
        """Stores an event, and returns "stored", "duplicate" or "quarantined"."""
        digest = hashlib.sha256(body).digest()
        with self._lock:
            # The unique constraint decides, so two deliveries at once cannot both be new.
            inserted = self._database.execute(
                "insert into event (id, body, sha256) values (?, ?, ?) on conflict do nothing",
                (event_id, body, digest),
            )
            if inserted.rowcount == 1:
                return "stored"
            query = "select sha256 from event where id = ?"
            (known,) = self._database.execute(query, (event_id,)).fetchone()
        if known == digest:
            return "duplicate"
        return self.quarantine("other_bytes", body)

    def quarantine(self, reason: str, body: bytes) -> str:
        """Keeps a body for an operator. The same body for the same reason is kept once."""
        digest = hashlib.sha256(body).digest()
        with self._lock:
            self._database.execute(
                "insert into quarantine (reason, sha256, body) values (?, ?, ?)"
                " on conflict do nothing",
                (reason, digest, body),
            )
        return "quarantined"


def count_event(path: str, event_id: str) -> int:
    """How often an event is stored, while another process may have the database open."""
    database = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)
    query = "select count(*) from event where id = ?"
    (count,) = database.execute(query, (event_id,)).fetchone()
    return count
