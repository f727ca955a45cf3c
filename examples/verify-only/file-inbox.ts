import { hash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { DeliveryInbox } from '@feed-receiver/core'

/**
 * An inbox that is a file with one event per line. For one process only: it detects duplicates by
 * its memory of the file, because a file has no unique constraint.
 */
export function createFileInbox(path: string): DeliveryInbox {
  const known = new Map(readLines(path).map((line) => [keyOf(line), line.sha256]))

  // Synchronous, so that of two concurrent deliveries the second finds the first. Flushed, because
  // the response says that the event is safe. If the disk is full, it throws, and the receiver
  // answers 503.
  function keep(line: Line): void {
    if (known.has(keyOf(line))) return
    appendFileSync(path, `\n${JSON.stringify(line)}`, { flush: true })
    known.set(keyOf(line), line.sha256)
  }

  return {
    async accept({ event: { id }, body, doubt }) {
      const sha256 = hash('sha256', body)
      if (known.get(id) === sha256) return 'duplicate'
      const quarantined = doubt ?? (known.has(id) ? 'id_conflict' : null)
      keep({ id, reason: quarantined, sha256, body: Buffer.from(body).toString('base64') })
      return quarantined ? { quarantined } : 'stored'
    },
    async quarantine({ eventId: id, body }, reason) {
      keep({ id, reason, sha256: hash('sha256', body), body: Buffer.from(body).toString('base64') })
    },
  }
}

interface Line {
  id: string | null
  /** Why it is in quarantine; null if it can be handled. */
  reason: string | null
  sha256: string
  /** The signed bytes in Base64, because a body in quarantine may not be text. */
  body: string
}

function keyOf({ id, reason, sha256 }: Line): string {
  return reason === null && id !== null ? id : `${reason} ${sha256}`
}

function readLines(path: string): Line[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').flatMap(readLine) : []
}

/** A truncated line was never acknowledged, so the service retries its delivery. */
function readLine(line: string): Line[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}
