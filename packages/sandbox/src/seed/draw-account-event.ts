import {
  accountEventTypes,
  type AccountEventType,
  type AccountSubjectType,
} from '@feed-receiver/core/api'
import type { ServiceAccountEvent } from '../state/account-event-schema.ts'
import { makeReference } from '../state/references.ts'
import { providers } from './providers.ts'
import { seededRandom, type Random } from './random.ts'

/** Makes up a private event of this account. */
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
  const about = subjects[type]
  const label = `${about.label} ${random.whole(1, 4)}`
  return {
    eventRef: makeReference(key, 'event', accountId, random.id('')),
    type,
    subject: {
      type: about.type,
      ref: makeReference(key, 'subject', accountId, `${about.type} ${label}`),
      label,
    },
    occurredAt: at.toISOString(),
    title: `${label}: ${about.title} (${model})`,
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
      const { eventRef, occurredAt } = event
      const title = `${last.title} (corrected)`
      const correctionOfEventRef = last.eventRef
      events.push({
        ...last,
        eventRef,
        occurredAt,
        title,
        correctionOfEventRef,
        integrityState: 'active',
      })
    } else {
      events.push(event)
    }
  }
  return events
}

const subjects: Record<
  AccountEventType,
  { type: AccountSubjectType; label: string; title: string }
> = {
  'model_fit.transitioned': {
    type: 'model_fit_profile',
    label: 'Support replies',
    title: 'another model fits better',
  },
  'capability.changed': {
    type: 'capability_profile',
    label: 'Long documents',
    title: 'a capability changed',
  },
  'model_value.frontier_changed': {
    type: 'model_value_workload',
    label: 'Nightly batch',
    title: 'there is a cheaper equal',
  },
  'action.changed': {
    type: 'action_queue_item',
    label: 'Migration',
    title: 'the due date moved',
  },
  'review.reopened': {
    type: 'customer_checklist',
    label: 'Launch review',
    title: 'an answer is no longer true',
  },
}
