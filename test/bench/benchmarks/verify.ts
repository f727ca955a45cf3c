/**
 * Verifying and parsing one delivery. Compares this kit, with the schema of the event; the libraries of
 * this field, each with its own signature over the same bytes; and minimal handwritten code.
 */
import { createHmac } from 'node:crypto'
import { sign, verify } from '@octokit/webhooks-methods'
import { signDelivery } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { parseEvent } from '../../../packages/core/src/event/decode.node.ts'
import { findSigner, readSecrets } from '../../../packages/core/src/signature/hmac.node.ts'
import { parseSignature } from '../../../packages/core/src/signature/signature.ts'
import type { BenchOptions } from '../bench.ts'
import { compare } from '../compare.ts'
import type { Figure } from '../figure.ts'
import { interleave, type Work } from '../interleave.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const base64Secret = Buffer.from(secret).toString('base64')
const sizes = { '0.7 KB': 700, '64 KB': 65_536 }
const goals = {
  'createHmac and JSON.parse': { atMost: 1.35 },
  stripe: { atMost: 1 },
  svix: { atMost: 1 },
  standardwebhooks: { atMost: 1 },
  octokit: { atMost: 1 },
}

export async function measure(
  say: (line: string) => void,
  _parts: readonly string[] = [],
  { isQuick = false }: Partial<BenchOptions> = {},
): Promise<Figure[]> {
  const rounds = isQuick ? 5 : 15
  const figures: Figure[] = []
  for (const [size, length] of Object.entries(sizes)) {
    const body = bodyOf(length)
    say(`${size}: a body of ${body.length} bytes, ${rounds} rounds`)
    const contenders = {
      'feed-receiver': repeat(feedReceiver(body)),
      'createHmac and JSON.parse': repeat(bare(body)),
      stripe: repeat(stripe(body)),
      svix: repeat(svix(body)),
      standardwebhooks: repeat(standardwebhooks(body)),
      octokit: await octokit(body),
    }
    const times = length < 1_000 ? 10_000 : 500
    const results = await interleave(contenders, { rounds, times })
    figures.push(...compare(`verify ${size}`, 'µs', results, toMicroseconds, goals))
  }
  return figures
}

function feedReceiver(body: Buffer): () => void {
  const secrets = readSecrets([secret])
  const header = signDelivery(body, { secret }).headers['feed-signature'] ?? ''
  return () => {
    const signature = parseSignature(header)
    if (!signature || !findSigner(signature, body, secrets)) throw new Error('It must verify.')
    if (Math.abs(Date.now() / 1_000 - signature.timestampSeconds) > 300) throw new Error('Late.')
    if ('problem' in parseEvent(body)) throw new Error('It must be an event.')
  }
}

function bare(body: Buffer): () => void {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const sum = () => createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  const expected = sum()
  return () => {
    if (sum() !== expected) throw new Error('It must verify.')
    JSON.parse(body.toString())
  }
}

function stripe(body: Buffer): () => void {
  const { webhooks } = new Stripe('sk_test_unused')
  const header = signDelivery(body, { secret }).headers['feed-signature'] ?? ''
  return () => {
    webhooks.constructEvent(body, header, secret, 300)
  }
}

function svix(body: Buffer): () => void {
  const webhook = new SvixWebhook(base64Secret)
  const now = new Date()
  const headers = {
    'svix-id': 'msg_1',
    'svix-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'svix-signature': webhook.sign('msg_1', now, body),
  }
  return () => webhook.verify(body, headers)
}

function standardwebhooks(body: Buffer): () => void {
  const webhook = new StandardWebhook(base64Secret)
  const now = new Date()
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': webhook.sign('msg_1', now, body.toString()),
  }
  return () => webhook.verify(body, headers)
}

// It verifies text, and leaves parsing to its caller.
async function octokit(body: Buffer): Promise<Work> {
  const signature = await sign(secret, body.toString())
  return async (times) => {
    for (let count = 0; count < times; count += 1) {
      const text = body.toString()
      if (!(await verify(secret, text, signature))) throw new Error('It must verify.')
      JSON.parse(text)
    }
  }
}

function repeat(work: () => void): Work {
  return (times) => {
    for (let count = 0; count < times; count += 1) work()
  }
}

function toMicroseconds(nanoseconds: number): number {
  return nanoseconds / 1_000
}

function bodyOf(length: number): Buffer {
  const { data, ...envelope } = fixture('model_release')
  const withSummary = (summary: string) =>
    Buffer.from(JSON.stringify({ ...envelope, data: { ...data, summary } }))
  return withSummary('x'.repeat(length - withSummary('').length))
}
