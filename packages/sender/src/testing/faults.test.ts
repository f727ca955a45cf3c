import { createReceiver, type ReceiverOptions } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { expect, test } from 'vitest'
import { addressOf } from './fault-proxy.ts'
import { deliver, eventBuilders, faults, fixture, testSecret, type Fault } from './index.ts'

const event = fixture('benchmark_model_added')

async function meet(fault: Fault, options: Partial<ReceiverOptions> = {}, oldSecret?: string) {
  const inbox = memoryInbox()
  const receiver = createReceiver({ secrets: [testSecret], inbox, ...options })
  const { answers, attempts, outcomes } = await deliver(event, { oldSecret })
    .to(receiver)
    .with(fault)
  return { answers: answers.map(({ status }) => status), attempts, outcomes, inbox }
}

/** Every retry of a late delivery fails too, because the fault applies to each attempt. */
const eight = (status: number) => Array<number>(8).fill(status)

const expected: Record<Fault, { answers: number[]; stored: number; quarantined?: string }> = {
  duplicate: { answers: [202, 200], stored: 1 },
  reorder: { answers: [202], stored: 1 },
  late: { answers: eight(503), stored: 0 },
  future: { answers: eight(503), stored: 0 },
  wrong_secret: { answers: [401], stored: 0 },
  old_secret: { answers: [401], stored: 0 },
  truncated: { answers: [401], stored: 0 },
  reserialised: { answers: [401], stored: 0 },
  bom: { answers: [202], stored: 0, quarantined: 'not_json' },
  other_header_id: { answers: [202], stored: 0, quarantined: 'id_mismatch' },
  schema_2: { answers: [202], stored: 0, quarantined: 'unknown_schema_version' },
  benchmark_51: { answers: [202], stored: 1 },
  slow_body: { answers: [202], stored: 1 },
  reset_after_commit: { answers: [200], stored: 1 },
}

test.each(Object.keys(faults) as Fault[])('%s: gets the expected answer', async (fault) => {
  const { answers, inbox } = await meet(fault, {}, 'feed_whsec_b2xk')
  const { stored, quarantined, ...rest } = expected[fault]
  expect({ answers, stored: inbox.entries.size }).toEqual({ ...rest, stored })
  expect(inbox.quarantined.map(({ reason }) => reason)).toEqual(quarantined ? [quarantined] : [])
})

test('old_secret is accepted while the receiver has both, and requires oldSecret', async () => {
  const oldSecret = 'feed_whsec_b2xk'
  const both = { secrets: [testSecret, oldSecret] }
  expect((await meet('old_secret', both, oldSecret)).answers).toEqual([202])
  await expect(meet('old_secret')).rejects.toMatchObject({ code: 'invalid_secret' })
})

test('reorder reverses the events', async () => {
  const inbox = memoryInbox()
  const receiver = createReceiver({ secrets: [testSecret], inbox })
  const make = eventBuilders()
  const events = [make.outage_started(), make.outage_updated(), make.outage_resolved()]
  await deliver(events).to(receiver).with('reorder')
  expect([...inbox.entries.keys()]).toEqual(events.map(({ id }) => id).toReversed())
})

test('bom sends the whole body behind a byte order mark', async () => {
  const { inbox } = await meet('bom')
  const [{ delivery } = {}] = inbox.quarantined
  const sent = Buffer.from(delivery?.body ?? [])
  expect(sent.subarray(0, 3)).toEqual(Buffer.of(0xef, 0xbb, 0xbf))
  expect(JSON.parse(sent.subarray(3).toString())).toEqual(event)
})

test('benchmark_51 is stored with a note', async () => {
  const { inbox } = await meet('benchmark_51')
  const [stored] = [...inbox.entries.values()]
  expect(Object.keys(stored?.event.data.benchmark?.current ?? {})).toHaveLength(51)
  expect(stored?.notes).not.toEqual([])
})

test('slow_body takes longer than a short deadline allows', async () => {
  const { answers } = await meet('slow_body', { deadlineMs: 100 })
  expect(answers).toEqual(eight(503))
})

test.each([
  ['http://app.example', { host: 'app.example', port: 80 }],
  ['http://[::1]:3000', { host: '::1', port: 3000 }],
])('a fault of the connection finds the app at %s', (origin, address) => {
  expect(addressOf(origin)).toEqual(address)
})

test('rejects a connection fault for an app behind TLS', async () => {
  const delivery = deliver(event).to('https://127.0.0.1:1').with('slow_body')
  await expect(delivery).rejects.toMatchObject({ code: 'invalid_destination' })
})

test('reset_after_commit drops the first answer, and the retry is a duplicate', async () => {
  const { attempts, outcomes } = await meet('reset_after_commit')
  expect(outcomes).toMatchObject([{ result: 'delivered' }])
  expect(attempts).toMatchObject([
    { status: null, cause: 'reset' },
    { status: 200, result: 'accepted' },
  ])
})

test('combines several faults', async () => {
  const inbox = memoryInbox()
  const receiver = createReceiver({ secrets: [testSecret], inbox })
  const { answers } = await deliver(event).to(receiver).with('schema_2', 'duplicate').once()
  expect(answers.map(({ status }) => status)).toEqual([202, 202])
  expect(inbox.quarantined).toHaveLength(1)
})

test('keeps the byte order mark when another fault writes the body anew', async () => {
  const inbox = memoryInbox()
  const receiver = createReceiver({ secrets: [testSecret], inbox })
  await deliver(event).to(receiver).with('bom', 'schema_2').once()
  expect(inbox.quarantined).toMatchObject([{ reason: 'not_json' }])
})

test('rejects an unknown fault', async () => {
  // @ts-expect-error as in JavaScript without types
  const delivery = deliver(event).to('http://127.0.0.1:1').with('toString')
  await expect(delivery).rejects.toMatchObject({ code: 'unknown_fault' })
})

test('rejects a body without an event for a fault that needs one', async () => {
  const recorded = { id: 'evt_text', body: Buffer.from('text'), sha256: '', headers: {} }
  const delivery = deliver(recorded).to('http://127.0.0.1:1').with('schema_2')
  await expect(delivery).rejects.toMatchObject({ code: 'invalid_event' })
})
