import { randomUUID } from 'node:crypto'
import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { accountIdSchema } from '../accounts/accounts.ts'
import { clockTime } from '../clock.ts'
import { drawAccountEvent } from '../seed/draw-account-event.ts'
import { seededRandom } from '../seed/random.ts'
import { action } from '../server/action.ts'
import { conflict, found, missing } from '../server/rejections.ts'
import {
  makeReference,
  serviceAccountEvent,
  type ServiceAccountEvent,
} from '../state/service-account-event.ts'
import { assignDefined } from '../state/service-event.ts'

/** The references and the state of a private event follow from the actions on it. */
const accountEventDraft = serviceAccountEvent
  .omit({
    eventRef: true,
    subject: true,
    occurredAt: true,
    integrityState: true,
    correctionOfEventRef: true,
  })
  .partial()
  .strict()

export const composeAccountEvent = action(
  'Publishes a private event of an account; missing members are generated.',
  accountEventDraft.extend({ accountId: accountIdSchema }),
  async ({ database, referenceKey: key }, { accountId, type, ...draft }) => {
    const at = await clockTime(database)
    const random = seededRandom(randomUUID())
    const drawn = drawAccountEvent(random, { key, accountId, at, type })
    const event = assignDefined(drawn, draft)
    if (await insertAccountEvents(database, accountId, [event])) return event
    throw missing('account')
  },
)

// A correction is another event, which names the corrected one.
export const changeAccountEvent = action(
  'Corrects or retracts a private event.',
  z.strictObject({
    to: z.enum(['correct', 'retract']),
    eventRef: serviceAccountEvent.shape.eventRef,
    /** The new content of a correction. */
    content: accountEventDraft.omit({ type: true }).optional(),
  }),
  async ({ database, referenceKey }, { to, eventRef, content = {} }) => {
    const at = await clockTime(database)
    return await database.tx(async (tx): Promise<ServiceAccountEvent> => {
      const { rows } = await tx.query<{ accountId: string; body: string }>(
        `select account_id as "accountId", body from sandbox.account_event where ref = $1 for update`,
        [eventRef],
      )
      const { accountId, body } = found(rows[0], 'account_event')
      const event = serviceAccountEvent.parse(JSON.parse(body))
      const { integrityState: state } = event
      if (state !== 'active') {
        throw conflict(`The event is already ${state}. Change the newest event instead.`)
      }
      const integrityState = to === 'retract' ? 'retracted' : 'corrected'
      const changed: ServiceAccountEvent = { ...event, integrityState }
      // The event keeps its position.
      await tx.query('update sandbox.account_event set body = $2 where ref = $1', [
        eventRef,
        JSON.stringify(changed),
      ])
      if (to === 'retract') return changed
      const correction: ServiceAccountEvent = {
        ...assignDefined(event, content),
        type: event.type,
        eventRef: makeReference(referenceKey, 'event', accountId, randomUUID()),
        occurredAt: at.toISOString(),
        correctionOfEventRef: eventRef,
      }
      await insertAccountEvents(tx, accountId, [correction])
      return correction
    })
  },
)

/** Adds events to an account's list, in this order; false if there is no such account. */
export async function insertAccountEvents(
  db: Queryable,
  accountId: string,
  events: readonly ServiceAccountEvent[],
): Promise<boolean> {
  const checked = events.map((event) => serviceAccountEvent.parse(event))
  const { rowCount } = await db.query(
    `insert into sandbox.account_event (account_id, ref, type, subject_type, body)
     select account.id, ref, type, subject_type, body
     from sandbox.account, unnest($2::text[], $3::text[], $4::text[], $5::text[]) with ordinality
       as given (ref, type, subject_type, body, ordinal)
     where account.id = $1
     order by ordinal`,
    [
      accountId,
      checked.map(({ eventRef }) => eventRef),
      checked.map(({ type }) => type),
      checked.map(({ subject }) => subject.type),
      checked.map((event) => JSON.stringify(event)),
    ],
  )
  return rowCount === checked.length
}
