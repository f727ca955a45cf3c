/** Verifying and reading one delivery, beside the least that anybody could write by hand. */
import { createHmac } from 'node:crypto'
import { parseEvent } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'
import { readSecrets } from '../../../packages/core/src/secret.ts'
import { findSigner, parseSignature } from '../../../packages/core/src/signature.ts'
import { figureOf, type Figure } from '../figure.ts'
import { interleave, ratios, type Side } from '../interleave.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const secrets = readSecrets([secret])
const sizes = { '0.7 KB': 0, '64 KB': 64_000 }

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [size, padding] of Object.entries(sizes)) {
    const body = bodyOf(padding)
    say(`${size}: a body of ${body.length} bytes`)
    const times = padding === 0 ? 20_000 : 1_000
    const sides = { ours: ours(body), bare: bare(body) }
    const { ours: mine, bare: least } = await interleave(sides, { rounds: 11, times })
    figures.push(
      figureOf(`${size}: ours`, 'µs', inMicroseconds(mine)),
      figureOf(`${size}: createHmac and JSON.parse`, 'µs', inMicroseconds(least)),
      figureOf(`${size}: ours to createHmac and JSON.parse`, '×', ratios(mine, least), {
        atMost: 1.35,
      }),
    )
  }
  return figures
}

function inMicroseconds(nanoseconds: number[]): number[] {
  return nanoseconds.map((value) => value / 1_000)
}

function bodyOf(padding: number): Buffer {
  const { data, ...envelope } = fixture('model_release')
  const summary = `${data.summary ?? ''}${'x'.repeat(padding)}`
  return Buffer.from(JSON.stringify({ ...envelope, data: { ...data, summary } }))
}

function ours(body: Buffer): Side {
  const header = signDelivery(body, { secret }).headers['feed-signature'] ?? ''
  return (times) => {
    for (let count = 0; count < times; count += 1) {
      const signature = parseSignature(header)
      if (!signature || !findSigner(signature, body, secrets)) throw new Error('It must verify.')
      if ('problem' in parseEvent(body)) throw new Error('It must be an event.')
    }
  }
}

function bare(body: Buffer): Side {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  return (times) => {
    for (let count = 0; count < times; count += 1) {
      const seen = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
      if (seen !== expected) throw new Error('It must verify.')
      JSON.parse(body.toString())
    }
  }
}
