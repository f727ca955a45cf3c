import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { found } from '../../server/refusals.ts'
import type { ServiceEvent } from '../../state/service-event.ts'
import { page, plainText } from '../../state/fields.ts'
import type { DestinationKind } from '../chats/chats.ts'
import { settleSecrets } from '../secrets/signing-secrets.ts'
import { urlPlace, type Vault } from '../../state/vault.ts'

export const destinationId = z
  .string()
  .regex(/^dst_[0-9a-f]{24}$/)
  .meta({ title: 'Destination' })
export const destinationName = z.string().trim().pipe(plainText(100))

export type DestinationState = 'new' | 'paused' | 'active'

export interface Destination {
  id: string
  accountId: string
  name: string
  kind: DestinationKind
  state: DestinationState
  stateChangedAt: Date
  /** The address, without parts that may be a credential. */
  address: string
  rules: DestinationRules
  createdAt: Date
  /** When the newest secret begins to sign, if it does not yet (R202). */
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
}

/** Lists all destinations that are not deleted, oldest first. */
export async function listDestinations(db: Queryable, vault: Vault): Promise<Destination[]> {
  await settleSecrets(db)
  return await select(db, vault, '', [])
}

/** @throws Refusal `not_found` */
export async function readDestination(db: Queryable, vault: Vault, id: string) {
  const [destination] = await select(db, vault, 'and d.id = $1', [id])
  return found(destination, 'destination')
}

interface Row extends Omit<Destination, 'address' | 'rules' | 'pause'>, DestinationRules {
  urlSealed: Buffer
  pausedBy: string | null
  status: number | null
  responseBody: string | null
  deliveryId: number | null
  attempt: number | null
  fault: string | null
}

async function select(
  db: Queryable,
  vault: Vault,
  condition: string,
  values: unknown[],
): Promise<Destination[]> {
  const { rows } = await db.query<Row>(
    `select d.id, d.account_id as "accountId", d.name, d.kind, d.state,
       d.state_changed_at as "stateChangedAt", d.providers, d.categories, d.types, d.confirmation,
       d.created_at as "createdAt", s.activates_at as "newSecretAt", d.url_sealed as "urlSealed",
       p.detail as "pausedBy", p.delivery_id as "deliveryId", a.attempt, a.status,
       a.response_body as "responseBody", a.fault
     from sandbox.destination d
     left join sandbox.destination_secret s on s.destination_id = d.id and s.state = 'pending'
     left join lateral (
       select detail, delivery_id from sandbox.destination_log
       where destination_id = d.id and change = 'paused' order by id desc limit 1
     ) p on d.state = 'paused'
     left join sandbox.delivery_attempt a on a.delivery_id = p.delivery_id and a.outcome = 'pause'
     where d.state <> 'deleted' ${condition}
     order by d.created_at, d.id limit 1000`,
    values,
  )
  return rows.map((row) => {
    const { urlSealed, providers, categories, types, confirmation, ...others } = row
    const { pausedBy, status, responseBody, deliveryId, attempt, fault, ...destination } = others
    const answer = { status: status ?? statusIn(pausedBy), responseBody, fault }
    const told = { ...answer, deliveryId, attempt }
    return {
      ...destination,
      address: describeUrl(vault.open(urlSealed, urlPlace(row.id)), row.kind),
      rules: { providers, categories, types, confirmation },
      pause: pausedBy === null ? null : { by: pausedBy === byHand ? 'hand' : 'answer', ...told },
    }
  })
}

/** The log's text for a pause that no response caused. */
export const byHand = 'by hand'

/** The log keeps the status even after the delivery is deleted. */
function statusIn(detail: string | null): number | null {
  const [, status] = /^answered (\d+)$/.exec(detail ?? '') ?? []
  return status === undefined ? null : Number(status)
}

// The path of a chat's webhook is a credential, and a query may contain a token.
function describeUrl(text: string, kind: DestinationKind): string {
  const { origin, pathname, search } = new URL(text)
  if (kind !== 'signed') return `${origin}/…`
  return origin + pathname + (search === '' ? '' : '?…')
}

const names = z.array(plainText(200)).max(100)

const allRules = z.strictObject({
  providers: names,
  categories: names,
  /** `outage` stands for every step of an outage, as in the API (T8). */
  types: names,
  /** `all` adds early signals (R217). */
  confirmation: z.enum(['confirmed', 'all']),
})

/** The events that a destination receives (R216). An empty or missing list means all. */
export const destinationRules = allRules.partial()

export type DestinationRules = z.infer<typeof allRules>
export type RuleChanges = z.infer<typeof destinationRules>

type Judged = Pick<ServiceEvent, 'providerSlug' | 'category' | 'eventType' | 'confirmationState'>

export function isSelected(rules: DestinationRules, event: Judged): boolean {
  return (
    (rules.confirmation === 'all' || event.confirmationState === 'confirmed') &&
    isAmong(rules.providers, event.providerSlug) &&
    isAmong(rules.categories, event.category ?? 'other') &&
    (isAmong(rules.types, event.eventType) ||
      (rules.types.includes('outage') && event.eventType.startsWith('outage_')))
  )
}

function isAmong(listed: string[], name: string): boolean {
  return listed.length === 0 || listed.includes(name)
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

export interface KeptDestinationChange {
  id: number
  destinationId: string
  /** By the sandbox's clock. */
  at: Date
  change: DestinationEvent
  detail: string | null
  deliveryId: number | null
}

export const destinationChangeFilter = page.extend({ destinationId: destinationId.optional() })

/** Lists the newest first. `before` is the id of the last row on the previous page. */
export async function listDestinationChanges(
  db: Queryable,
  { destinationId: of, before, limit = 100 }: z.infer<typeof destinationChangeFilter> = {},
): Promise<KeptDestinationChange[]> {
  const { rows } = await db.query<KeptDestinationChange>(
    `select id, destination_id as "destinationId", at, change, detail, delivery_id as "deliveryId"
     from sandbox.destination_log
     where ($1::text is null or destination_id = $1) and ($2::bigint is null or id < $2)
     order by id desc limit $3`,
    [of, before, limit],
  )
  return rows
}
