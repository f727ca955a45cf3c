import { expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { memoryInbox } from './memory-inbox.ts'

it('stores a copy that later changes do not affect', async () => {
  const inbox = memoryInbox()
  const delivery = deliveryOf(makeEvent())
  const bytes = Uint8Array.from(delivery.body)
  const read = new Uint8Array(65_536)
  read.set(bytes)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const given = { ...delivery, headers, body: read.subarray(0, bytes.length) }
  expect(await inbox.accept(given)).toBe('stored')

  read.fill(0)
  headers['content-type'] = 'text/plain'
  given.notes.push('extra_members')
  const stored = inbox.entries.get(delivery.event.id)
  expect(stored?.body).toEqual(bytes)
  // The copy does not keep a larger buffer alive.
  expect(stored?.body.buffer.byteLength).toBe(bytes.length)
  expect(stored?.headers).toEqual({ 'content-type': 'application/json' })
  expect(stored?.notes).toEqual(delivery.notes.slice(0, -1))
  expect(await inbox.accept({ ...delivery, body: bytes })).toBe('duplicate')
})
