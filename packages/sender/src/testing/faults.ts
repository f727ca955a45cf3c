import { signatureHeader } from '@feed-receiver/core/internal'
import { type DeliveryHeaders, readJsonObject } from '../attempt/delivery-request.ts'
import { SenderError } from '../errors.ts'

export interface FaultOptions {
  /** The secret with which the fault `old_secret` signs. */
  oldSecret?: string | undefined
}

/** A delivery before it is sent, for faults to change. */
export interface Draft {
  id: string
  body: Uint8Array
  /** The bytes to sign instead of the body. */
  signedBody?: Uint8Array
  secret: string
  /** The offset of the signed time from the real time. */
  offsetSeconds: number
  headers: DeliveryHeaders
}

/** The faults by name, each with its description. */
export const faults = {
  duplicate: 'every delivery is sent twice',
  reorder: 'the events are sent in reverse order',
  late: 'signed 310 seconds ago',
  future: 'signed 310 seconds from now',
  wrong_secret: 'signed with an unknown secret',
  old_secret: 'signed with `oldSecret`, as during a rotation before the new secret is active',
  truncated: 'the second half of the body is cut off after signing',
  reserialised: 'the body is serialized again after signing',
  bom: 'the signed body begins with a byte order mark',
  other_header_id: 'Feed-Event-Id is not the id in the body',
  schema_2: 'schema_version is 2.0',
  benchmark_51: 'benchmark.current has 51 properties, one more than the service sends',
  slow_body: 'the body takes half a second to arrive',
  reset_after_commit: 'the first answer for each event is lost: the connection is reset',
}

export type Fault = keyof typeof faults

type Change = (draft: Draft, options: FaultOptions) => Partial<Draft>

const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf)

// The faults of a delivery itself.
const damages = {
  late: () => ({ offsetSeconds: -310 }),
  future: () => ({ offsetSeconds: 310 }),
  wrong_secret: () => ({ secret: 'feed_whsec_that_nobody_has' }),
  old_secret: (_draft, { oldSecret }) => ({ secret: oldSecret ?? failWithoutSecret() }),
  truncated: (draft) => afterSigning(draft, draft.body.subarray(0, draft.body.length >> 1)),
  reserialised: (draft) => {
    const sent = rewrite(draft, (event) => event, 2)
    return afterSigning(draft, sent)
  },
  bom: ({ body }) => ({ body: Buffer.concat([byteOrderMark, body]) }),
  other_header_id: ({ id, headers }) => ({
    headers: { ...headers, 'Feed-Event-Id': `${id}_other` },
  }),
  schema_2: (draft) => ({
    body: rewrite(draft, (event) => ({ ...event, schema_version: '2.0' })),
  }),
  benchmark_51: (draft) => ({ body: rewrite(draft, withLargeBenchmark) }),
} satisfies Partial<Record<Fault, Change>>

/** The name of a fault in the delivery itself: in its bytes, its headers or its signature. */
export type Damage = keyof typeof damages

/** Whether a fault is in the delivery itself. */
export function isDamage<Name extends string>(name: Name): name is Name & Damage {
  return Object.hasOwn(damages, name)
}

/**
 * Damages one attempt of a delivery. Returns the bytes to send, and the headers that replace the
 * usual ones, like the option `headers` of a sender. Their signature has the current time. Several
 * damages add up, in the given order.
 *
 * @throws SenderError `invalid_secret` for `old_secret` without a secret, and `invalid_event` if
 * the body must be an event and is not.
 */
export function signDamaged(
  names: readonly Damage[],
  delivery: Pick<Draft, 'id' | 'body' | 'secret'>,
  options: FaultOptions = {},
): { body: Uint8Array; headers: DeliveryHeaders } {
  const draft: Draft = { ...delivery, offsetSeconds: 0, headers: {} }
  const damaged = names.reduce((before, name) => damage(before, name, options), draft)
  return { body: damaged.body, headers: { ...damaged.headers, 'Feed-Signature': sign(damaged) } }
}

/** Signs with the current time. */
export function sign({ body, signedBody = body, secret, offsetSeconds }: Draft): string {
  const timestampSeconds = Math.floor(Date.now() / 1000) + offsetSeconds
  return signatureHeader({ secret, timestampSeconds, body: signedBody })
}

/**
 * Applies a fault to deliveries; leaves connection faults to the proxy.
 *
 * @throws SenderError as `signDamaged`, and `unknown_fault`.
 */
export function applyFault(fault: Fault, drafts: Draft[], options: FaultOptions): Draft[] {
  if (!Object.hasOwn(faults, fault)) {
    const names = Object.keys(faults).join(', ')
    throw new SenderError('unknown_fault', `There is no fault '${fault}'. Use one of: ${names}.`)
  }
  if (fault === 'duplicate') return drafts.flatMap((draft) => [draft, draft])
  if (fault === 'reorder') return drafts.toReversed()
  return isDamage(fault) ? drafts.map((draft) => damage(draft, fault, options)) : drafts
}

function damage(draft: Draft, name: Damage, options: FaultOptions): Draft {
  const change: Change = damages[name]
  return { ...draft, ...change(draft, options) }
}

/** Sends other bytes than the signed ones. */
function afterSigning({ body, signedBody = body }: Draft, sent: Uint8Array): Partial<Draft> {
  return { body: sent, signedBody }
}

type Members = Record<string, unknown>

function rewrite(
  { body, signedBody }: Draft,
  change: (event: Members) => Members,
  spaces?: number,
): Uint8Array {
  const event = readJsonObject(body)
  const mark = byteOrderMark.equals(body.subarray(0, 3)) ? byteOrderMark : Buffer.alloc(0)
  if (event) return Buffer.concat([mark, Buffer.from(JSON.stringify(change(event), null, spaces))])
  // Another damage has made it unreadable.
  if (signedBody) return body
  throw new SenderError(
    'invalid_event',
    'This fault needs an event, but the body is not a JSON object. Pass an event.',
  )
}

function withLargeBenchmark(event: Members): Members {
  const members = Array.from({ length: 51 }, (_, index) => [`property_${index + 1}`, index + 1])
  const benchmark = { current: Object.fromEntries(members) }
  return { ...event, data: { ...Object(event['data']), benchmark } }
}

function failWithoutSecret(): never {
  throw new SenderError('invalid_secret', 'The fault old_secret needs the option `oldSecret`.')
}
