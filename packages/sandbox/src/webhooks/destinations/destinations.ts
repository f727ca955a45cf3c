import type { Queryable } from '@feed-receiver/database'
import type { DestinationRules } from './destination-rules.ts'
import type { DestinationKind } from '../chats/render-body.ts'
import type { Vault } from '../secrets/vault.ts'

export type DestinationState = 'new' | 'paused' | 'active'

export interface Destination {
  id: string
  accountId: string
  name: string
  kind: DestinationKind
  state: DestinationState
  stateChangedAt: Date
  /** The address, without what could be a credential in it. */
  address: string
  rules: DestinationRules
  createdAt: Date
  /** When the secret that was made last begins to sign, while it does not yet (R202). */
  newSecretAt: Date | null
}

/** All that are not deleted, the oldest first. */
export async function listDestinations(db: Queryable, vault: Vault): Promise<Destination[]> {
  return await select(db, vault, '', [])
}

export async function findDestination(
  db: Queryable,
  vault: Vault,
  id: string,
): Promise<Destination | undefined> {
  return (await select(db, vault, 'and d.id = $1', [id]))[0]
}

/** Names where the sealed address of a destination belongs; see `Vault`. */
export function urlPlace(destinationId: string): string {
  return `destination ${destinationId} url`
}

async function select(
  db: Queryable,
  vault: Vault,
  condition: string,
  values: unknown[],
): Promise<Destination[]> {
  const { rows } = await db.query<DestinationRow>(
    `select d.*, s.activates_at
     from sandbox.destination d
     left join sandbox.destination_secret s on s.destination_id = d.id and s.state = 'pending'
     where d.state <> 'deleted' ${condition}
     order by d.created_at, d.id limit 1000`,
    values,
  )
  return rows.map((row) => toDestination(row, vault))
}

interface DestinationRow {
  id: string
  account_id: string
  name: string
  kind: DestinationKind
  url_sealed: Buffer
  state: DestinationState
  state_changed_at: Date
  providers: string[]
  categories: string[]
  types: string[]
  confirmation: DestinationRules['confirmation']
  created_at: Date
  activates_at: Date | null
}

function toDestination(row: DestinationRow, vault: Vault): Destination {
  const { providers, categories, types, confirmation } = row
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    kind: row.kind,
    state: row.state,
    stateChangedAt: row.state_changed_at,
    address: describeUrl(vault.open(row.url_sealed, urlPlace(row.id)), row.kind),
    rules: { providers, categories, types, confirmation },
    createdAt: row.created_at,
    newSecretAt: row.activates_at,
  }
}

// The path of a chat's webhook is all that it takes to post there, and a query may hold a token.
function describeUrl(text: string, kind: DestinationKind): string {
  const { origin, pathname, search } = new URL(text)
  if (kind !== 'signed') return `${origin}/…`
  return origin + pathname + (search === '' ? '' : '?…')
}
