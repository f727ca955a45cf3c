import { SenderError } from '../errors.ts'
import type { Draft } from './draft.ts'

/** What can go wrong on the way, by name, each with what it does. */
export const faults = {
  duplicate: 'every delivery comes twice',
  reorder: 'the events come in the opposite order',
  late: 'signed 310 seconds ago',
  future: 'signed 310 seconds from now',
  wrong_secret: 'signed with a secret that nobody has',
  old_secret: 'signed with `oldSecret`, as in a rotation whose new secret is not in use yet',
  truncated: 'the second half of the body is lost after it was signed',
  reserialised: 'the body is written as JSON anew after it was signed',
  bom: 'the signed body begins with a byte order mark',
  other_header_id: 'Feed-Event-Id is not the id in the body',
  schema_2: 'schema_version is 2.0',
  benchmark_51: 'benchmark.current has 51 properties, one more than the service sends',
  slow_body: 'the body takes half a second to arrive',
  reset_after_commit: 'the first answer for each event is lost: the connection is reset',
} as const

export type Fault = keyof typeof faults

export interface FaultOptions {
  oldSecret?: string | undefined
}

/**
 * Puts a fault into deliveries; those of the connection itself are left to it.
 *
 * @throws SenderError `unknown_fault`, `invalid_secret` for `old_secret` without one, and `invalid_event` where the
 * body must be an event and is none.
 */
export function applyFault(fault: Fault, drafts: Draft[], options: FaultOptions): Draft[] {
  if (!Object.hasOwn(faults, fault)) {
    const names = Object.keys(faults).join(', ')
    throw new SenderError('unknown_fault', `There is no fault of this name. Use one of: ${names}.`)
  }
  if (fault === 'duplicate') return drafts.flatMap((draft) => [draft, draft])
  if (fault === 'reorder') return drafts.toReversed()
  const change = changes[fault]
  return change ? drafts.map((draft) => change(draft, options)) : drafts
}

const changes: Partial<Record<Fault, (draft: Draft, options: FaultOptions) => Draft>> = {
  late: (draft) => ({ ...draft, offsetSeconds: -310 }),
  future: (draft) => ({ ...draft, offsetSeconds: 310 }),
  wrong_secret: (draft) => ({ ...draft, secret: 'feed_whsec_that_nobody_has' }),
  old_secret: (draft, { oldSecret }) => ({ ...draft, secret: oldSecret ?? failWithoutSecret() }),
  truncated: (draft) => damage(draft, draft.body.subarray(0, draft.body.length >> 1)),
  reserialised: (draft) => damage(draft, write(readJson(draft), 2)),
  bom: (draft) => ({ ...draft, body: Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), draft.body]) }),
  other_header_id: (draft) => ({
    ...draft,
    headers: { ...draft.headers, 'Feed-Event-Id': `${draft.id}_other` },
  }),
  schema_2: (draft) => ({ ...draft, body: write({ ...readJson(draft), schema_version: '2.0' }) }),
  benchmark_51: (draft) => {
    const event = readJson(draft)
    const members = Array.from({ length: 51 }, (_, index) => [`property_${index + 1}`, index + 1])
    const benchmark = { current: Object.fromEntries(members) }
    return { ...draft, body: write({ ...event, data: { ...Object(event['data']), benchmark } }) }
  },
}

/** Sends other bytes than those that are signed. */
function damage(draft: Draft, body: Uint8Array): Draft {
  return { ...draft, body, signedBody: draft.signedBody ?? draft.body }
}

function readJson({ body }: Draft): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch {
    // Told below.
  }
  throw new SenderError('invalid_event', 'This fault needs an event, and the body is none.')
}

function write(value: unknown, spaces?: number): Uint8Array {
  return Buffer.from(JSON.stringify(value, null, spaces))
}

function failWithoutSecret(): never {
  throw new SenderError('invalid_secret', 'old_secret needs one. Give it as `oldSecret`.')
}
