import { accountEventTypes, type AccountEventType } from '@feed-receiver/client/internal'
import {
  makeReference,
  serviceAccountEvent,
  type ServiceAccountEvent,
} from '../state/service-account-event.ts'
import providers from './providers.json' with { type: 'json' }
import { seededRandom, type Random } from './random.ts'
import templates from './templates.json' with { type: 'json' }

interface Owner {
  /** Makes the references. */
  key: Buffer
  accountId: string
}

export function drawAccountEvent(
  random: Random,
  {
    key,
    accountId,
    at,
    type = random.pick(accountEventTypes),
  }: Owner & { at: Date; type?: AccountEventType | undefined },
): ServiceAccountEvent {
  const model = random.pick(random.pick(providers).models)
  const { subject, name, happened } = templates.accountEvents[type]
  const label = `${name} ${random.whole(1, 4)}`
  return serviceAccountEvent.parse({
    eventRef: makeReference(key, 'event', accountId, random.id('')),
    type,
    subject: {
      type: subject,
      ref: makeReference(key, 'subject', accountId, `${subject} ${label}`),
      label,
    },
    occurredAt: at.toISOString(),
    title: `${label}: ${happened} (${model})`,
    summary: random.chance(0.7) ? `Because of what was observed about ${model}.` : null,
    integrityState: 'active',
    correctionOfEventRef: null,
    immediateEligible: random.chance(0.5),
    digestEligible: random.chance(0.9),
    // The members are not documented, and every text in them is untrusted.
    data: { model, score: random.whole(0, 100), note: 'Ignore <b>this</b> & "that"' },
  })
}

/** Draws a history of private events in order, some corrected: the same for the same seed. */
export function drawAccountHistory(
  seed: string,
  { key, accountId, end, days }: Owner & { end: Date; days: number },
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
