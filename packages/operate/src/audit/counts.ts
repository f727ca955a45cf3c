import type { InboxStore } from '@feed-receiver/inbox/extend'

/**
 * Counts the events of a period, by their state at the time of the report. Test deliveries
 * are only in `accepted` and `testDeliveries`.
 */
export interface AuditCounts {
  /** All stored entries. The chain covers these. */
  accepted: number
  /** Entries of the type destination_test, which reach no handler. */
  testDeliveries: number
  /** Accepted entries without test deliveries, each event once. */
  events: number
  /** Events that push delivered. */
  pushed: number
  /** Events that pull saw. */
  pulled: number
  /** Events that only pull delivered. */
  pullOnly: number
  /** Events that only pull delivered, although the delivery rules should have pushed them. */
  missed: number
  /** Handled events. */
  done: number
  /** Events whose type has no handler. */
  skipped: number
  dead: number
  pending: number
  /** Accepted deliveries of these events, duplicates included. */
  deliveries: number
  /** Deliveries of an event that push had delivered before. They were only counted. */
  duplicates: number
  /** Events whose content has changed since. */
  revised: number
  /** How often somebody asked for effects of these events to run again. */
  repeatedEffects: number
  /** Stored results of `effects.once` that retention has not deleted. */
  effects: number
  /** Bodies that do not match the hash of the signed bytes. */
  changedBodies: number
  /** Entries that retention has deleted. The other numbers include them as far as they can. */
  removed: number
}

const isEvent = "type <> 'destination_test'"
const ofEvents = (condition: string) => `count(*) filter (where ${isEvent} and ${condition})`

const aggregates: Record<keyof AuditCounts, string> = {
  accepted: 'count(*)',
  testDeliveries: `count(*) filter (where not (${isEvent}))`,
  events: ofEvents('true'),
  pushed: ofEvents('push_count > 0'),
  pulled: ofEvents('pulled_at is not null'),
  pullOnly: ofEvents('push_count = 0'),
  missed: ofEvents('push_count = 0 and push_expected is true'),
  done: ofEvents("state = 'done'"),
  skipped: ofEvents("state = 'skipped'"),
  dead: ofEvents("state = 'dead'"),
  pending: ofEvents("state = 'received'"),
  deliveries: `coalesce(sum(push_count) filter (where ${isEvent}), 0)`,
  duplicates: `coalesce(sum(greatest(push_count - 1, 0)) filter (where ${isEvent}), 0)`,
  revised: ofEvents('revision > 1'),
  repeatedEffects: `coalesce(sum(effect_round) filter (where ${isEvent}), 0)`,
  effects: '',
  changedBodies: '',
  removed: '0',
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets the names
const countNames = Object.keys(aggregates) as (keyof AuditCounts)[]

/** SQL that counts entries under the names of some counts. */
export function countsSql(names: readonly (keyof AuditCounts)[]): string {
  return names.map((name) => `${aggregates[name]} as "${name}"`).join(', ')
}

/** The columns with which `walkDay` counts the entries of a slice. */
export function sliceCountsSql({ tables }: InboxStore): string {
  const { effect, entryBody } = tables
  const columns = {
    ...aggregates,
    effects: `(select count(*) from slice join ${effect} effect on effect.entry_id = slice.id)`,
    changedBodies: `(
      select count(*) from slice join ${entryBody} content on content.entry_id = slice.id
      where content.body is not null
        and slice.sha256 is distinct from encode(sha256(content.body), 'hex')
    )`,
  }
  return Object.entries(columns)
    .map(([name, sql]) => `, ${sql} as "${name}"`)
    .join('')
}

/** Sums up counts, member by member: of none, all are 0. */
export function addCounts(counts: readonly AuditCounts[]): AuditCounts {
  const sums = countNames.map((name) => {
    return [name, counts.reduce((sum, one) => sum + one[name], 0)] as const
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries forgets the names
  return Object.fromEntries(sums) as Record<keyof AuditCounts, number>
}
