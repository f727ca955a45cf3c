import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { action, read } from '../../server/action.ts'
import { found } from '../../server/rejections.ts'
import type { DestinationKind } from '../../state/delivery.ts'
import { destinationIdSchema, page, plainText } from '../../state/fields.ts'
import type { ServiceEvent } from '../../state/service-event.ts'
import { urlLabel, type Vault } from '../../state/vault.ts'
import { applyRotations } from '../secrets/signing-secrets.ts'

export const destinationName = z.string().trim().pipe(plainText(100))
export const oneDestination = z.strictObject({ id: destinationIdSchema })

const names = z.array(plainText(200)).max(100)

const allRules = z.strictObject({
  providers: names,
  categories: names,
  /** `outage` stands for every step of an outage, as in the API. */
  types: names,
  /** `all` adds early signals. */
  confirmation: z.enum(['confirmed', 'all']),
})

/** The events that a destination receives. An empty or missing list means all. */
export const destinationRules = allRules.partial()

export type DestinationRules = z.infer<typeof allRules>

export interface Destination {
  id: string
  accountId: string
  name: string
  kind: DestinationKind
  state: 'new' | 'paused' | 'active'
  stateChangedAt: Date
  /** The address, without parts that may be a credential. */
  address: string
  rules: DestinationRules
  createdAt: Date
  /** When the newest secret begins to sign, if it does not yet. */
  newSecretAt: Date | null
  /** Why it is paused; null if it is not, or a reset has deleted the reason. */
  pause: Pause | null
}

export interface Pause {
  /** A response to a live delivery, or somebody on the control page. */
  by: 'answer' | 'hand'
  status: number | null
  /** The beginning of that response; null once the delivery is deleted. */
  responseBody: string | null
  deliveryId: number | null
  attempt: number | null
  /** The faults of that attempt, if it had any. */
  fault: string | null
  /** What usually causes such a status. */
  hint?: string | undefined
}

const hints: Readonly<Record<number, string>> = {
  400: 'The app could not read the request: often because of a body parser or a validation in front of the receiver.',
  401: 'The app could not verify the signature: its FEED_SIGNING_SECRET is a different secret, or something changed the body before the receiver read it.',
  403: 'A check in front of the receiver rejected the request: often CSRF protection, a login or a firewall.',
  404: 'The app has no route at this path: the destination has the wrong path, or the receiver is not mounted.',
  405: 'The route does not accept POST: it is mounted for another method, or the path belongs to another route.',
  410: 'The app answered that this address is permanently gone.',
  422: 'The app rejected the content: often because of a validation in front of the receiver.',
}

export const listDestinations = read(
  'Lists the destinations that are not deleted, oldest first.',
  async ({ database, vault }) => {
    await applyRotations(database)
    return await selectDestinations(database, vault)
  },
)

/** @throws Rejection `not_found` */
export async function readDestination(db: Queryable, vault: Vault, id: string) {
  const [destination] = await selectDestinations(db, vault, id)
  return found(destination, 'destination')
}

/** The log's text for a pause that no response caused. */
export const byHand = 'by hand'

async function selectDestinations(db: Queryable, vault: Vault, id?: string) {
  // The log keeps the status of a pause even after the delivery is deleted.
  const { rows } = await db.query<Omit<Destination, 'address'> & { urlSealed: Buffer }>(
    `select d.id, d.account_id as "accountId", d.name, d.kind, d.state,
       d.state_changed_at as "stateChangedAt", d.created_at as "createdAt",
       s.activates_at as "newSecretAt", d.url_sealed as "urlSealed",
       json_build_object('providers', d.providers, 'categories', d.categories, 'types', d.types,
         'confirmation', d.confirmation) as rules,
       case when p.detail is not null then json_build_object(
         'by', case when p.detail = '${byHand}' then 'hand' else 'answer' end,
         'status', coalesce(a.status, (regexp_match(p.detail, '^answered (\\d+)$'))[1]::integer),
         'responseBody', a.response_body, 'fault', a.fault, 'deliveryId', p.delivery_id,
         'attempt', a.attempt
       ) end as pause
     from sandbox.destination d
     left join sandbox.destination_secret s on s.destination_id = d.id and s.state = 'pending'
     left join lateral (
       select detail, delivery_id from sandbox.destination_log
       where destination_id = d.id and change = 'paused' order by id desc limit 1
     ) p on d.state = 'paused'
     left join sandbox.delivery_attempt a on a.delivery_id = p.delivery_id and a.outcome = 'pause'
     where d.state <> 'deleted' and ($1::text is null or d.id = $1)
     order by d.created_at, d.id limit 1000`,
    [id],
  )
  return rows.map(({ urlSealed, pause, ...destination }): Destination => {
    const url = vault.open(urlSealed, urlLabel(destination.id))
    const explained = pause && { ...pause, hint: hints[pause.status ?? 0] }
    return { ...destination, pause: explained, address: describeUrl(url, destination.kind) }
  })
}

// The path of a chat's webhook is a credential, and a query may contain a token.
function describeUrl(text: string, kind: DestinationKind): string {
  const { origin, pathname, search } = new URL(text)
  if (kind !== 'signed') return `${origin}/…`
  return origin + pathname + (search === '' ? '' : '?…')
}

export function isSelected(rules: DestinationRules, event: ServiceEvent): boolean {
  const includes = (listed: string[], name: string) => listed.length === 0 || listed.includes(name)
  return (
    (rules.confirmation === 'all' || event.confirmationState === 'confirmed') &&
    includes(rules.providers, event.providerSlug) &&
    includes(rules.categories, event.category ?? 'other') &&
    (includes(rules.types, event.eventType) ||
      (rules.types.includes('outage') && event.eventType.startsWith('outage_')))
  )
}

export type DestinationEvent =
  | 'created'
  | 'changed'
  | 'activated'
  | 'test_failed'
  | 'paused'
  | 'exhausted'
  | 'secret_rotated'
  | 'rotation_cancelled'
  | 'secret_activated'
  | 'deleted'

export async function logDestination(
  db: Queryable,
  id: string,
  change: DestinationEvent,
  detail?: string,
): Promise<void> {
  await db.query(
    'insert into sandbox.destination_log (destination_id, change, detail) values ($1, $2, $3)',
    [id, change, detail],
  )
}

export interface StoredDestinationChange {
  id: number
  destinationId: string
  /** By the sandbox's clock. */
  at: Date
  change: DestinationEvent
  detail: string | null
  deliveryId: number | null
}

export const listDestinationChanges = action(
  'Lists the changes of destinations, newest first.',
  page.extend({ destinationId: destinationIdSchema.optional() }),
  async ({ database }, { destinationId: of, before, limit = 100 }) => {
    const { rows } = await database.query<StoredDestinationChange>(
      `select id, destination_id as "destinationId", at, change, detail, delivery_id as "deliveryId"
       from sandbox.destination_log
       where ($1::text is null or destination_id = $1) and ($2::bigint is null or id < $2)
       order by id desc limit $3`,
      [of, before, limit],
    )
    return rows
  },
)
