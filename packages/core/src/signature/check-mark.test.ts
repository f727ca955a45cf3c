import { expect, it, vi } from 'vitest'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createReceiver, type Delivery, type Observation } from '../index.ts'
import { signatureHeader } from '../internal.ts'
import { checkMark, memoryInbox, signDelivery } from '../testing/index.ts'

const secret = 'feed_whsec_marktest0123456789abcdef'
const other = 'feed_whsec_othermark0123456789abcdef'
const event = makeEvent()
const unreadable = new TextEncoder().encode('This is not JSON.')
const timestampSeconds = Math.floor(Date.now() / 1_000)

/** Whether the inbox hears that a delivery with this mark is one of the check. */
async function isKnownAsCheck(sent: object | Uint8Array, mark: string): Promise<boolean> {
  const seen: Delivery[] = []
  const inbox = {
    ...memoryInbox(),
    accept: async (delivery: Delivery) => (seen.push(delivery), 'stored' as const),
    quarantine: async (delivery: Delivery) => void seen.push(delivery),
  }
  const receiver = createReceiver({ secrets: secret, inbox })
  const signed = signDelivery(sent, { secret, headers: { 'feed-receiver-check': mark } })
  expect(await receiver.receive(signed)).toMatchObject({ status: 202 })
  return seen[0]?.isCheck === true
}

it.each([
  ['an event', event],
  ['a body that is no event', unreadable],
])('knows %s of the check by its mark', async (_, sent) => {
  const { body } = signDelivery(sent, { secret })
  const mark = checkMark({ secret, timestampSeconds, body })
  expect(await isKnownAsCheck(sent, mark)).toBe(true)
})

it.each<[string, string]>([
  ['of another secret', checkMark({ secret: other, timestampSeconds, body: unreadable })],
  ['of another body', checkMark({ secret, timestampSeconds, body: new Uint8Array([1]) })],
  [
    'that is the signature of the delivery',
    signatureHeader({ secret, timestampSeconds, body: unreadable }),
  ],
  ['without a form', 'yes'],
])('ignores a mark %s, so that nobody can hide a delivery', async (_, mark) => {
  expect(await isKnownAsCheck(unreadable, mark)).toBe(false)
})

it.each([
  ['with', secret, true],
  ['without', other, undefined],
])('knows a forged delivery of the check %s its mark', async (_, marked, isCheck) => {
  const observe = vi.fn<(seen: Observation) => void>()
  const receiver = createReceiver({ secrets: secret, inbox: memoryInbox(), observe })
  const { body } = signDelivery(event, { secret })
  const mark = checkMark({ secret: marked, timestampSeconds, body })
  const forged = signDelivery(event, { secret: other, headers: { 'feed-receiver-check': mark } })
  expect(await receiver.receive(forged)).toMatchObject({ status: 401 })
  expect(observe.mock.calls[0]?.[0].isCheck).toBe(isCheck)
})
