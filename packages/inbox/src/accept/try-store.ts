import { randomUUID } from 'node:crypto'
import type { EventDelivery } from '@feed-receiver/core'
import type { InboxContext } from '../context.ts'
import { dryRun } from '../dry-run.ts'
import type { StepFailures } from '../failure-log.ts'
import { countDuplicates } from './count-duplicates.ts'
import { insertQuarantine } from './quarantine.ts'
import { storeInOneStatement } from './store-entries.ts'

/** The step that failed when a delivery was stored on trial. */
export type FailedTrial = Pick<StepFailures, 'step' | 'error'>

/** Less than the time limit of the health, so that a lock gets its own explanation. */
const limitMs = 2_000

/**
 * Does what storing a delivery does, in a transaction that is rolled back: stores an event with its
 * job, counts its duplicate and quarantines it. Returns the error of the database and the step that
 * has failed, if there is one.
 */
export async function tryStore(context: InboxContext): Promise<FailedTrial | undefined> {
  const trial = makeDelivery()
  let step: FailedTrial['step'] = 'accept'
  const tried = dryRun(context.database, async (tx) => {
    await tx.query(`select set_config('statement_timeout', $1, true)`, [String(limitMs)])
    await storeInOneStatement(context)(tx, [trial])
    await countDuplicates(tx, context, [trial])
    step = 'quarantine'
    await insertQuarantine(tx, context, { ...trial, eventId: null, detail: null }, 'not_json')
  })
  return await tried.then(
    () => undefined,
    (error: unknown) => ({ step, error }),
  )
}

function makeDelivery(): EventDelivery {
  const id = `trial_${randomUUID()}`
  const now = new Date()
  const event = {
    schema_version: '1.0' as const,
    id,
    type: 'destination_test',
    created_at: now.toISOString(),
    data: {
      provider: 'feed-receiver',
      category: 'trial',
      subject: { type: null, key: null },
      // Titles have characters of any script, which not every encoding has.
      title: 'A trial → 試',
      summary: null,
      evidence: 'documented',
      confirmation: 'confirmed',
      source_url: 'https://example.com/',
      source_published_at: null,
    },
  }
  const body = Buffer.from(JSON.stringify(event))
  const signed = { body, signedAt: now, signedBy: '(trial)', receivedAt: now, headers: {} }
  return { ...signed, event, notes: [], doubt: null }
}
