import { createHash, createHmac } from 'node:crypto'

/** What signing is made from. */
export interface SigningInput {
  key: string | Uint8Array
  /** As the header has it. */
  timestamp: string
  body: Uint8Array
  eventId: string
}

/** A wrong way to sign: another timestamp, other contents, another function. */
export interface SigningHypothesis {
  code: string
  says: string
  fix: string
  /** The signatures, in hex, that this way would have made. */
  digests(input: SigningInput): Iterable<string>
}

/** The signature that the service makes (R161, R162), in hex. */
export function digestOf({ key, timestamp, body }: Omit<SigningInput, 'eventId'>): string {
  return createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex')
}

/** Wrong ways to sign; the likelier ones first. */
export const signingHypotheses: readonly SigningHypothesis[] = [
  {
    code: 'timestamp_left_out',
    says: 'The signature is over the body alone, without the timestamp.',
    fix: 'Sign the timestamp, a full stop and the body: `${t}.${body}`.',
    *digests({ key, body }) {
      yield hmac(key, body)
    },
  },
  {
    code: 'other_separator',
    says: 'Timestamp and body are put together in another way than with a full stop between them.',
    fix: 'Sign the timestamp, a full stop and the body: `${t}.${body}`.',
    *digests({ key, timestamp, body, eventId }) {
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
    says: 'The signed timestamp and the sent one are in different units, seconds and milliseconds.',
    fix: 'Make one text of whole seconds, and use it in the header and in the signature.',
    *digests({ key, timestamp, body }) {
      const seconds = Number(timestamp)
      yield digestOf({ key, timestamp: String(Math.floor(seconds / 1000)), body })
      for (let ms = 0; ms < Math.min(1000, tries(body)); ms += 1) {
        yield digestOf({ key, timestamp: String(seconds * 1000 + ms), body })
      }
    },
  },
  {
    code: 'clock_read_twice',
    says: 'The signed timestamp is another one than the one that was sent.',
    fix: 'Read the clock once for each attempt, and use that text in the header and in the signature.',
    *digests({ key, timestamp, body }) {
      const most = Math.min(300, Math.floor(tries(body) / 2))
      for (let skew = 1; skew <= most; skew += 1) {
        for (const other of [Number(timestamp) + skew, Number(timestamp) - skew]) {
          yield digestOf({ key, timestamp: String(other), body })
        }
      }
      // Whole hours: a time zone taken for UTC.
      for (let hours = -14; hours <= 14; hours += 0.5) {
        yield digestOf({ key, timestamp: String(Number(timestamp) + hours * 3600), body })
      }
    },
  },
  {
    code: 'body_digest_signed',
    says: 'The signature is over a digest of the body, or its Base64, in place of the body.',
    fix: 'Sign the bytes of the body themselves.',
    *digests({ key, timestamp, body }) {
      const digest = createHash('sha256').update(body).digest()
      for (const text of [digest.toString('hex'), digest.toString('base64')]) {
        yield hmac(key, `${timestamp}.`, text)
      }
      yield hmac(key, `${timestamp}.`, Buffer.from(body).toString('base64'))
    },
  },
  {
    code: 'other_function',
    says: 'The signature was made with another function than HMAC with SHA-256.',
    fix: 'Use HMAC-SHA256 with the whole secret as the key, in hex.',
    *digests({ key, timestamp, body }) {
      for (const algorithm of ['sha1', 'sha512', 'sha384', 'md5']) {
        yield createHmac(algorithm, key).update(`${timestamp}.`).update(body).digest('hex')
      }
      yield sha256(`${timestamp}.`, body)
      yield sha256(key, `${timestamp}.`, body)
      yield sha256(`${timestamp}.`, body, key)
      // HMAC of the hex of the key, and key and contents in each other's place.
      yield createHmac('sha256', `${timestamp}.${Buffer.from(body).toString()}`)
        .update(key)
        .digest('hex')
    },
  },
]

const bytesToHash = 64 * 1_048_576

/** How often a body of this size can be signed within a fraction of a second. */
function tries(body: Uint8Array): number {
  return Math.floor(bytesToHash / Math.max(1, body.length))
}

function hmac(key: string | Uint8Array, ...parts: (string | Uint8Array)[]): string {
  const signing = createHmac('sha256', key)
  for (const part of parts) signing.update(part)
  return signing.digest('hex')
}

function sha256(...parts: (string | Uint8Array)[]): string {
  const hashing = createHash('sha256')
  for (const part of parts) hashing.update(part)
  return hashing.digest('hex')
}
