import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createFileInbox } from '../../examples/verify-only/file-inbox.ts'
import { deliveryInboxCases, deliveryOf } from './delivery-inbox.ts'
import { makeEvent } from './harness.ts'

describe('the file inbox of the example', () => {
  const folder = mkdtempSync(join(tmpdir(), 'feed-receiver-file-inbox-'))
  const path = join(folder, 'events.jsonl')
  const inbox = createFileInbox(path)
  afterAll(() => rmSync(folder, { recursive: true }))

  deliveryInboxCases(() => ({
    inbox,
    async bytesOf(eventId) {
      const line = readLines().find(({ id, reason }) => id === eventId && reason === null)
      return line && Buffer.from(line.body, 'base64')
    },
    async quarantineOf(eventId) {
      return readLines()
        .filter(({ id, reason }) => id === eventId && reason !== null)
        .map(({ reason }) => reason)
    },
  }))

  it('detects duplicates after a restart, and skips a truncated line', async () => {
    const stored = deliveryOf(makeEvent())
    await inbox.accept(stored)
    appendFileSync(path, '\n{"id":"evt_cut_o')
    const restarted = createFileInbox(path)
    const other = deliveryOf(makeEvent())
    expect(await restarted.accept(stored)).toBe('duplicate')
    expect(await restarted.accept(other)).toBe('stored')
    expect(await createFileInbox(path).accept(other)).toBe('duplicate')
  })

  function readLines() {
    const lines = readFileSync(path, 'utf8').split('\n').slice(1)
    return lines.map((line) => JSON.parse(line))
  }
})
