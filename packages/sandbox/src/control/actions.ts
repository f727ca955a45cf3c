import { z } from 'zod'
import { accountEventDraft } from '../account-events/compose-account-event.ts'
import { serviceAccountEvent } from '../state/account-event-schema.ts'
import { serviceEvent } from '../state/event-schema.ts'
import { newApiFault } from '../faults/api-faults.ts'
import { eventDraft } from '../events/compose-event.ts'
import { dateTime } from '../state/date-time.ts'
import { missing } from '../server/missing.ts'
import { plainText } from '../state/plain-text.ts'
import { webhookChanges, webhookReads } from './webhook-actions.ts'
import { action, type Action } from './action.ts'
import { choices } from './choices.ts'
import { pageInput } from './page-input.ts'
import { settingChanges } from './settings.ts'

const id = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
const name = plainText(100)
const eventId = serviceEvent.shape.id
const limit = z.int().min(1).max(1_000_000_000)
const milliseconds = z.int()

const page = z.object(pageInput)

/** Reads: GET /_sandbox/api/<name>, with the query as input. */
export const reads: Record<string, Action> = {
  ...webhookReads,
  clock: action(z.object({}), (control) => control.readClock()),
  settings: action(z.object({}), (control) => control.readSettings()),
  accounts: action(z.object({}), (control) => control.listAccounts()),
  keys: action(z.object({}), (control) => control.listKeys()),
  event: action(z.object({ id: eventId }), async (control, input) => {
    const found = await control.findEvent(input)
    if (!found) throw missing('event')
    return found
  }),
  export: action(z.object({}), (control) => control.export()),
  'api-faults': action(z.object({}), (control) => control.listApiFaults()),
  events: action(page, (control, input) => control.listEvents(input)),
  requests: action(page, (control, input) => control.listRequests(input)),
  choices: action(z.object({}), async () => choices),
}

/** Changes: POST /_sandbox/api/<name>, with a JSON object as input. */
export const changes: Record<string, Action> = {
  ...webhookChanges,
  reset: action(z.strictObject({}), (control) => control.reset()),
  'move-clock': action(
    z.union([
      z.strictObject({ to: z.literal('shift'), byMs: milliseconds }),
      z.strictObject({ to: z.literal('advance'), byMs: milliseconds.min(0) }),
      z.strictObject({ to: z.literal('freeze'), at: dateTime.optional() }),
      z.strictObject({ to: z.enum(['unfreeze', 'reset']) }),
    ]),
    (control, input) => control.moveClock(input),
  ),
  'change-settings': action(settingChanges, (control, input) => control.changeSettings(input)),
  'create-account': action(z.strictObject({ id, name }), (control, input) =>
    control.createAccount(input),
  ),
  'change-account': action(
    z.strictObject({
      id,
      name: name.optional(),
      proActive: z.boolean().optional(),
      decisionIntelligence: z.boolean().optional(),
      privateActivity: z.boolean().optional(),
      usageLimit: limit.optional(),
      burstLimit: limit.optional(),
    }),
    (control, input) => control.changeAccount(input),
  ),
  'create-key': action(z.strictObject({ accountId: id, name }), (control, input) =>
    control.createKey(input),
  ),
  'revoke-key': action(z.strictObject({ id: z.int().min(1) }), (control, input) =>
    control.revokeKey(input),
  ),
  'compose-event': action(eventDraft, (control, input) => control.composeEvent(input)),
  'change-event': action(
    z.union([
      z.strictObject({ to: z.enum(['confirm', 'retract']), id: eventId }),
      z.strictObject({
        to: z.literal('correct'),
        id: eventId,
        content: eventDraft.pick({
          title: true,
          summary: true,
          category: true,
          subjectType: true,
          subjectKey: true,
          sourceUrl: true,
          evidenceState: true,
        }),
      }),
    ]),
    (control, input) => control.changeEvent(input),
  ),
  'compose-account-event': action(accountEventDraft.extend({ accountId: id }), (control, input) =>
    control.composeAccountEvent(input),
  ),
  'change-account-event': action(
    z.strictObject({
      to: z.enum(['correct', 'retract']),
      eventRef: serviceAccountEvent.shape.eventRef,
      content: accountEventDraft.omit({ type: true }).optional(),
    }),
    (control, input) => control.changeAccountEvent(input),
  ),
  'create-api-fault': action(newApiFault, (control, input) => control.createApiFault(input)),
  'delete-api-fault': action(z.strictObject({ id: z.int().min(1) }), (control, input) =>
    control.deleteApiFault(input),
  ),
}
