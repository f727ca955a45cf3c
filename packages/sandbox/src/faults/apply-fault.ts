import { signatureHeader } from '@feed-receiver/core'
import type { DeliveryHeaders } from '@feed-receiver/sender'
import type { DeliveryFault } from './delivery-faults.ts'

/** One signed attempt: what is sent, and what it is signed with. */
export interface Draft {
  eventId: string
  secret: string
  body: Uint8Array
  /** Where other bytes are signed than those that are sent. */
  signedBody?: Uint8Array
  offsetSeconds: number
  headers: DeliveryHeaders
}

/** Puts faults into an attempt, and gives what to send; without one there is nothing to replace. */
export function applyFaults(
  faults: readonly DeliveryFault[],
  draft: Draft,
): { body: Uint8Array; headers?: DeliveryHeaders } {
  const changing = faults.flatMap((fault) => changes[fault] ?? [])
  if (changing.length === 0) return { body: draft.body }
  const changed = changing.reduce((before, change) => change(before), draft)
  const { body, signedBody = body, secret, offsetSeconds, headers } = changed
  const timestampSeconds = Math.floor(Date.now() / 1000) + offsetSeconds
  const signature = signatureHeader({ secret, timestampSeconds, body: signedBody })
  return { body, headers: { ...headers, 'Feed-Signature': signature } }
}

const changes: Partial<Record<DeliveryFault, (draft: Draft) => Draft>> = {
  late: (draft) => ({ ...draft, offsetSeconds: -310 }),
  future: (draft) => ({ ...draft, offsetSeconds: 310 }),
  wrong_secret: (draft) => ({ ...draft, secret: 'feed_whsec_that_nobody_has' }),
  truncated: (draft) => damage(draft, draft.body.subarray(0, draft.body.length >> 1)),
  reserialised: (draft) =>
    damage(
      draft,
      rewrite(draft.body, (event) => event, 2),
    ),
  bom: (draft) => ({ ...draft, body: Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), draft.body]) }),
  other_header_id: (draft) => ({
    ...draft,
    headers: { ...draft.headers, 'Feed-Event-Id': `${draft.eventId}_other` },
  }),
  schema_2: (draft) => ({
    ...draft,
    body: rewrite(draft.body, (event) => ({ ...Object(event), schema_version: '2.0' })),
  }),
}

/** Sends other bytes than those that are signed. */
function damage(draft: Draft, body: Uint8Array): Draft {
  return { ...draft, body, signedBody: draft.signedBody ?? draft.body }
}

/** Leaves alone what another fault has made unreadable. */
function rewrite(
  body: Uint8Array,
  change: (event: unknown) => unknown,
  spaces?: number,
): Uint8Array {
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(body))
    return Buffer.from(JSON.stringify(change(event), null, spaces))
  } catch {
    return body
  }
}
