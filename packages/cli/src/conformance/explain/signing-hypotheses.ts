import { createHash, createHmac } from 'node:crypto'
import type { Hypothesis } from './cause.ts'

type Part = string | Uint8Array

interface SigningInput {
  key: Part
  /** As written in the header. */
  timestamp: string
  body: Uint8Array
  eventId: string
}

/** Wrong ways to sign, with the signatures that they would have made; the likelier ones first. */
export const signingHypotheses: readonly Hypothesis<SigningInput, string>[] = [
  {
    code: 'timestamp_left_out',
    says: 'The signature covers only the body, without the timestamp.',
    fix: 'Sign the timestamp, a full stop and the body: `${t}.${body}`.',
    variants: ({ key, body }) => [hmac(key, body)],
  },
  {
    code: 'other_separator',
    says: 'The signed text does not join the timestamp and the body with a full stop.',
    fix: 'Sign the timestamp, a full stop and the body: `${t}.${body}`.',
    *variants({ key, timestamp, body, eventId }) {
      for (const between of ['', ':', '\n', ',', '|', ' ', '. ', '.\n']) {
        yield hmac(key, `${timestamp}${between}`, body)
      }
      yield hmac(key, `t=${timestamp}.`, body)
      yield hmac(key, body, `.${timestamp}`)
      yield hmac(key, body, timestamp)
      yield hmac(key, `${eventId}.${timestamp}.`, body)
    },
  },
  {
    code: 'timestamp_unit',
    says: 'The signed timestamp and the sent timestamp use different units, seconds and milliseconds.',
    fix: 'Format the whole seconds once, and use that text in the header and in the signature.',
    *variants({ key, timestamp, body }) {
      const seconds = Number(timestamp)
      yield hmac(key, `${Math.floor(seconds / 1000)}.`, body)
      for (let ms = 0; ms < Math.min(1000, tries(body)); ms += 1) {
        yield hmac(key, `${seconds * 1000 + ms}.`, body)
      }
    },
  },
  {
    code: 'clock_read_twice',
    says: 'The signed timestamp differs from the sent timestamp.',
    fix: 'Read the clock once for each attempt, and use that text in the header and in the signature.',
    *variants({ key, timestamp, body }) {
      const seconds = Number(timestamp)
      const most = Math.min(300, Math.floor(tries(body) / 2))
      for (let skew = 1; skew <= most; skew += 1) {
        yield hmac(key, `${seconds + skew}.`, body)
        yield hmac(key, `${seconds - skew}.`, body)
      }
      // Half hours: a time zone taken for UTC.
      for (let hours = -14; hours <= 14; hours += 0.5) {
        yield hmac(key, `${seconds + hours * 3600}.`, body)
      }
    },
  },
  {
    code: 'body_digest_signed',
    says: 'The signature covers a digest or the Base64 of the body, instead of the body.',
    fix: 'Sign the bytes of the body themselves.',
    *variants({ key, timestamp, body }) {
      const digest = createHash('sha256').update(body).digest()
      for (const text of [digest.toString('hex'), digest.toString('base64')]) {
        yield hmac(key, `${timestamp}.`, text)
      }
      yield hmac(key, `${timestamp}.`, Buffer.from(body).toString('base64'))
    },
  },
  {
    code: 'other_function',
    says: 'The signature was not computed with HMAC-SHA256.',
    fix: 'Use HMAC-SHA256 with the whole secret as the key, in hex.',
    *variants({ key, timestamp, body }) {
      const start = `${timestamp}.`
      for (const algorithm of ['sha1', 'sha512', 'sha384', 'md5']) {
        yield createHmac(algorithm, key).update(start).update(body).digest('hex')
      }
      yield sha256(start, body)
      yield sha256(key, start, body)
      yield sha256(start, body, key)
      // Key and contents in each other's place.
      yield hmac(`${start}${Buffer.from(body).toString()}`, key)
    },
  },
]

const bytesToHash = 64 * 1_048_576

/** How often a body of this size can be signed within a fraction of a second. */
function tries(body: Uint8Array): number {
  return Math.floor(bytesToHash / Math.max(1, body.length))
}

/** HMAC-SHA256 in hex; the service signs the timestamp, a full stop and the body. */
export function hmac(key: Part, ...parts: Part[]): string {
  const signing = createHmac('sha256', key)
  for (const part of parts) signing.update(part)
  return signing.digest('hex')
}

function sha256(...parts: Part[]): string {
  const hashing = createHash('sha256')
  for (const part of parts) hashing.update(part)
  return hashing.digest('hex')
}
