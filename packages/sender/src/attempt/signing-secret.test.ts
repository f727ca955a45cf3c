import { createHmac } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { serve } from '../../test/serve.ts'
import { createSender } from '../create-sender.ts'
import { fixture } from '../fixtures/fixtures.ts'
import { readSecret } from './signing-secret.ts'
import { virtualClock } from '../virtual-clock.ts'

const current = 'feed_whsec_b2xk'
const next = 'feed_whsec_bmV3'
const rotatedAt = Date.UTC(2026, 8, 1, 12)
const dayMs = 24 * 60 * 60 * 1000
const event = fixture('model_release')

test.each([
  ['long before', -dayMs, current],
  ['at the rotation', 0, current],
  ['at 23:59:59.999', dayMs - 1, current],
  ['at 24:00:00.000', dayMs, next],
  ['long after', 30 * dayMs, next],
])('%s the right secret signs [R202]', (_when, offsetMs, expected) => {
  expect(readSecret({ current, next, rotatedAt })(rotatedAt + offsetMs)).toBe(expected)
})

test('always signs with a single secret', () => {
  expect(readSecret(current)(0)).toBe(current)
  expect(readSecret(current)(rotatedAt + dayMs)).toBe(current)
})

test.each([
  [{ current: 'private', next, rotatedAt }, 'does not begin with feed_whsec_'],
  [{ current, next: `${next} `, rotatedAt }, 'has white space around it'],
  [{ current, rotatedAt }, 'is undefined'],
  [{ current, next, rotatedAt: Number.NaN }, '`rotatedAt` is not a time'],
  [{ current, next }, '`rotatedAt` is not a time'],
  [null, 'is null, not a string'],
])('rejects %j without quoting it', (secret, problem) => {
  // @ts-expect-error as in JavaScript without types
  const make = () => createSender({ secret })
  expect(make).toThrow(problem)
  expect(make).toThrow(expect.objectContaining({ code: 'invalid_secret' }))
  expect(make).not.toThrow(/b2xk|bmV3|private/)
})

test('switches secrets between retries at 24 hours of the clock, each with one v1 [R202]', async () => {
  const { url, arrivals } = await serve((response) => response.writeHead(503).end())
  // The third attempt is a millisecond too early, so the fourth is the first with the new secret.
  const clock = virtualClock({ start: rotatedAt + dayMs - 90_001, autoAdvance: true })
  const sender = createSender({ secret: { current, next, rotatedAt }, clock })
  onTestFinished(() => sender.close())
  const { attempts } = await sender.deliver(event, { to: url })
  expect(attempts).toHaveLength(8)
  expect(attempts[2]?.at).toBe(rotatedAt + dayMs - 1)
  expect(arrivals.map(signerOf)).toEqual([...Array(3).fill('current'), ...Array(5).fill('next')])
})

test.each([
  [-1, 'current'],
  [0, 'next'],
])(
  'an attempt %d ms from 24 hours is signed with the %s secret [R202]',
  async (offsetMs, signer) => {
    const { url, arrivals } = await serve((response) => response.writeHead(200).end())
    const clock = virtualClock({ start: rotatedAt + dayMs + offsetMs })
    // The signed time does not choose the secret.
    for (const signingClock of [() => 0, () => rotatedAt + 2 * dayMs]) {
      const sender = createSender({ secret: { current, next, rotatedAt }, clock, signingClock })
      await sender.attempt(event, { to: url })
      await sender.close()
    }
    expect(arrivals.map(signerOf)).toEqual([signer, signer])
  },
)

test('records neither secret', async () => {
  const { url } = await serve((response, _number, { headers }) =>
    response.writeHead(500).end(`${current} ${next} ${String(headers['feed-signature'])}`),
  )
  const sender = createSender({ secret: { current, next, rotatedAt } })
  onTestFinished(() => sender.close())
  const record = await sender.attempt(event, { to: url })
  expect(record.responseBody).toMatch(/^\[hidden\] \[hidden\] t=\d+,\[hidden\]$/)
})

function signerOf({ headers, body }: { headers: NodeJS.Dict<unknown>; body: Buffer }): string {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['feed-signature'])) ?? []
  const made = (secret: string) =>
    createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
  if (v1 === made(current)) return 'current'
  return v1 === made(next) ? 'next' : 'neither'
}
