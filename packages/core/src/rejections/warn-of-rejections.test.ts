import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createReceiver, type DeliveryInbox, type Observation } from '../index.ts'
import { memoryInbox, signDelivery } from '../testing/index.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'

const secret = 'feed_whsec_warntest0123456789abcdef'
const other = 'feed_whsec_othertest0123456789abcdef'
const forged = () => signDelivery(makeEvent(), { secret: other })

describe('a receiver without an observer', () => {
  const warnings: string[] = []
  beforeEach(() => {
    warnings.length = 0
    vi.spyOn(process, 'emitWarning').mockImplementation((text) => void warnings.push(String(text)))
  })
  afterEach(() => vi.restoreAllMocks())

  it('warns of a rejection with the effect on the feed and the fix', async () => {
    const receiver = createReceiver({ secrets: secret, inbox: memoryInbox() })
    await receiver.receive(forged())
    expect(warnings).toEqual([
      expect.stringMatching(
        /^A delivery was rejected with 401 \(signature_mismatch\)\. The service pauses the feed after a 401\. Give the receiver .* current signing secret/,
      ),
    ])
  })

  it('warns once a minute for each reason, with the count since', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const receiver = createReceiver({ secrets: secret, inbox: memoryInbox() })
    for (let count = 0; count < 50; count += 1) await receiver.receive(forged())
    await receiver.receive({ ...forged(), method: 'GET' })
    expect(warnings).toEqual([
      expect.stringContaining('401'),
      expect.stringMatching(/405 \(method_not_allowed\)\. The service sends POST only/),
    ])
    vi.advanceTimersByTime(60_000)
    await receiver.receive(forged())
    expect(warnings.slice(2)).toEqual([
      expect.stringMatching(/^50 more deliveries were rejected with 401/),
    ])
  })

  it('names the cause without the secrets in it', async () => {
    const inbox = memoryInbox()
    inbox.accept = () =>
      Promise.reject(new Error(`no route to postgres://app:hunter2@db/x?sslkey=abc for ${secret}`))
    const receiver = createReceiver({ secrets: secret, inbox })
    await receiver.receive(signDelivery(makeEvent(), { secret }))
    expect(warnings).toEqual([
      expect.stringContaining('no route to postgres://***@db/x?*** for feed_***'),
    ])
  })

  it('names the clock skew', async () => {
    const now = () => Date.now() + 412_000
    const receiver = createReceiver({ secrets: secret, inbox: memoryInbox(), now })
    await receiver.receive(signDelivery(makeEvent(), { secret }))
    expect(warnings).toEqual([expect.stringMatching(/This clock is 41[123] s ahead of the sign/)])
  })

  it('does not warn about accepted deliveries or during shutdown', async () => {
    const receiver = createReceiver({ secrets: secret, inbox: memoryInbox() })
    await receiver.receive(signDelivery(makeEvent(), { secret }))
    await receiver.receive(signDelivery({ no: 'event' }, { secret }))
    await receiver.stop()
    await receiver.receive(signDelivery(makeEvent(), { secret }))
    expect(warnings).toEqual([])
  })

  it('leaves warnings to an observer if there is one', async () => {
    const observe = vi.fn<(answer: Observation) => void>()
    const receiver = createReceiver({ secrets: secret, inbox: memoryInbox(), observe })
    await receiver.receive(forged())
    expect(observe).toHaveBeenCalledOnce()
    expect(warnings).toEqual([])
  })
})

describe('the inbox of a receiver', () => {
  it('is told every result, like the observer', async () => {
    const told: Observation[] = []
    const seen: Observation[] = []
    const inbox = { ...memoryInbox(), answered: (answer: Observation) => void told.push(answer) }
    const observe = (answer: Observation) => void seen.push(answer)
    const receiver = createReceiver({ secrets: secret, inbox, observe })
    await receiver.receive(signDelivery(makeEvent(), { secret }))
    await receiver.receive(forged())
    expect(told).toMatchObject([
      { reason: 'stored', status: 202 },
      { reason: 'signature_mismatch', status: 401 },
    ])
    expect(seen).toEqual(told)
  })

  it.each<[string, (answer: Observation) => void]>([
    [
      'throws',
      () => {
        throw new Error('full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('full'))],
    ['changes its argument', (answer) => void Object.assign(answer, { reason: 'x', status: 0 })],
  ])('does not affect the response when it %s', async (_, answered) => {
    const inbox: DeliveryInbox = { ...memoryInbox(), answered }
    const receiver = createReceiver({ secrets: secret, inbox, observe: () => {} })
    const { status } = await receiver.receive(signDelivery(makeEvent(), { secret }))
    expect(status).toBe(202)
  })
})
