import {
  accountEventTypes,
  type AccountEventType,
  type AccountSubjectType,
} from '@feed-receiver/core/api'
import { makeReference, type ServiceAccountEvent } from '../state/account-event-schema.ts'
import { providers } from './providers.ts'
import { seededRandom, type Random } from './random.ts'

export function drawAccountEvent(
  random: Random,
  {
    key,
    accountId,
    at,
    type = random.pick(accountEventTypes),
  }: { key: Buffer; accountId: string; at: Date; type?: AccountEventType | undefined },
): ServiceAccountEvent {
  const model = random.pick(random.pick(providers).models)
  const [subjectType, name, happened] = subjects[type]
  const label = `${name} ${random.whole(1, 4)}`
  return {
    eventRef: makeReference(key, 'event', accountId, random.id('')),
    type,
    subject: {
      type: subjectType,
      ref: makeReference(key, 'subject', accountId, `${subjectType} ${label}`),
      label,
    },
    occurredAt: at.toISOString(),
    title: `${label}: ${happened} (${model})`,
    summary: random.chance(0.7) ? `Because of what was observed about ${model}.` : null,
    integrityState: 'active',
    correctionOfEventRef: null,
    immediateEligible: random.chance(0.5),
    digestEligible: random.chance(0.9),
    // The members are not documented, and every text in them is untrusted (R65).
    data: { model, score: random.whole(0, 100), note: 'Ignore <b>this</b> & "that"' },
  }
}

/** The same events for the same seed, in the order in which they occurred, some of them corrected. */
export function drawAccountHistory(
  seed: string,
  { key, accountId, end, days }: { key: Buffer; accountId: string; end: Date; days: number },
): ServiceAccountEvent[] {
  const random = seededRandom(`${seed} account ${accountId}`)
  const stepMs = 12 * 3_600_000
  const events: ServiceAccountEvent[] = []
  for (let step = days * 2; step > 0; step -= 1) {
    const at = new Date(end.getTime() - step * stepMs + random.whole(0, stepMs - 1))
    const type = accountEventTypes[step % accountEventTypes.length]
    const event = drawAccountEvent(random, { key, accountId, at, type })
    if (step % 11 === 0) event.integrityState = 'retracted'
    const last = events.at(-1)
    if (step % 13 === 0 && last?.integrityState === 'active') {
      last.integrityState = 'corrected'
      events.push({
        ...last,
        eventRef: event.eventRef,
        occurredAt: event.occurredAt,
        title: `${last.title} (corrected)`,
        correctionOfEventRef: last.eventRef,
        integrityState: 'active',
      })
    } else {
      events.push(event)
    }
  }
  return events
}

/** What each type is about: its subject, the subject's label, and what happened. */
const subjects: Record<AccountEventType, [AccountSubjectType, label: string, title: string]> = {
  'model_fit.transitioned': ['model_fit_profile', 'Support replies', 'another model fits better'],
  'capability.changed': ['capability_profile', 'Long documents', 'a capability changed'],
  'model_value.frontier_changed': [
    'model_value_workload',
    'Nightly batch',
    'there is a cheaper equal',
  ],
  'action.changed': ['action_queue_item', 'Migration', 'the due date moved'],
  'review.reopened': ['customer_checklist', 'Launch review', 'an answer is no longer true'],
}
