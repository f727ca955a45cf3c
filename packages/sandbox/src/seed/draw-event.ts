import { parseInput } from '../server/parse-input.ts'
import { serviceEvent, type ServiceEvent } from '../state/event-schema.ts'
import { drawContent, type Provider } from './draw-content.ts'
import providers from './providers.json' with { type: 'json' }
import type { Random } from './random.ts'

export function drawEvent(
  random: Random,
  { type, provider = random.pick(providers), at }: { type: string; provider?: Provider; at: Date },
): ServiceEvent {
  const content = drawContent(random, type, provider)
  return leaveOutSome(random, {
    id: random.id('evt_'),
    providerSlug: provider.slug,
    eventType: type,
    ...content,
    confirmationState: random.chance(0.12) ? 'unconfirmed' : 'confirmed',
    firstObservedAt: at.toISOString(),
    ...drawSourceTimes(random, at),
    ...drawDetection(random, provider),
    correctedAt: null,
    retractedAt: null,
  })
}

/** Absent and null mean the same, so both are there to be met (R38). */
export function leaveOutSome(random: Random, event: object): ServiceEvent {
  const kept = Object.entries(event).filter(([name, value]) => {
    // An event without a category is delivered as one of the category other (R76).
    const isNothing = value === null || (name === 'category' && value === 'other')
    return !isNothing || random.chance(0.5)
  })
  // What it goes on from may have come from outside.
  return parseInput(serviceEvent, Object.fromEntries(kept))
}

/** What a source says of its own times: a time, a day, one of unknown precision, or nothing (R24–R27). */
export function drawSourceTimes(random: Random, at: Date) {
  const updatedMs = at.getTime() - random.whole(1, 60) * 60_000
  const publishedMs = updatedMs - random.whole(0, 180) * 60_000
  const [sourcePublishedAt, sourcePublishedPrecision] = drawSourceTime(random, publishedMs)
  const [sourceUpdatedAt, sourceUpdatedPrecision] = drawSourceTime(random, updatedMs)
  return { sourcePublishedAt, sourcePublishedPrecision, sourceUpdatedAt, sourceUpdatedPrecision }
}

function drawSourceTime(random: Random, ms: number) {
  const time = new Date(ms).toISOString()
  const kind = random.whole(0, 5)
  if (kind <= 1) return [time, 'timestamp']
  if (kind <= 3) return [`${time.slice(0, 10)}T00:00:00Z`, 'date']
  return [kind === 4 ? time : null, null]
}

function drawDetection(random: Random, { site }: Provider) {
  if (random.chance(0.6)) return { canonicalUrl: null, detectedVia: null }
  return { canonicalUrl: `https://${site}`, detectedVia: random.pick(['feed', 'page', 'api']) }
}
