import { serviceEvent, type ServiceEvent } from '../state/event-schema.ts'
import { parseInput } from '../server/parse-input.ts'
import { providers, type Provider } from './providers.ts'
import type { Random } from './random.ts'
import { templates } from './templates.ts'

// A type comes from outside, and every object has a member `constructor`.
const templateOf = new Map(Object.entries(templates))

export const drawableTypes = [...templateOf.keys()]

export function drawEvent(
  random: Random,
  { type, provider, at }: { type: string; provider?: Provider; at: Date },
): ServiceEvent {
  const of = provider ?? random.pick(providers)
  const template = templateOf.get(type) ?? templateOf.get('release_note')
  if (!template) throw new Error('There is no template for a release note.')
  const { sourcePath, ...content } = template(of, random)
  return leaveOutSome(random, {
    id: random.id('evt_'),
    providerSlug: of.slug,
    eventType: type,
    ...content,
    sourceUrl: `https://${of.site}/${sourcePath}`,
    confirmationState: random.chance(0.12) ? 'unconfirmed' : 'confirmed',
    firstObservedAt: at.toISOString(),
    ...drawSourceTimes(random, at),
    ...drawDetection(random, of),
    correctedAt: null,
    retractedAt: null,
  })
}

/** Absent and null mean the same, so both are there to be met (R38). */
export function leaveOutSome(random: Random, event: ServiceEvent): ServiceEvent {
  const kept = Object.entries(event).filter(([name, value]) => {
    // An event without a category is delivered as one of the category other (R76).
    const isNothing = value === null || (name === 'category' && value === 'other')
    return !isNothing || random.chance(0.5)
  })
  // What it goes on from may have come from outside.
  return parseInput(serviceEvent, Object.fromEntries(kept))
}

/** What a source says of its own times: a time, a day, one of unknown precision, or nothing (R24–R27). */
export function drawSourceTimes(random: Random, at: Date): Partial<ServiceEvent> {
  const updatedMs = at.getTime() - random.whole(1, 60) * 60_000
  const publishedMs = updatedMs - random.whole(0, 180) * 60_000
  const [sourcePublishedAt, sourcePublishedPrecision] = drawSourceTime(random, publishedMs)
  const [sourceUpdatedAt, sourceUpdatedPrecision] = drawSourceTime(random, updatedMs)
  return { sourcePublishedAt, sourcePublishedPrecision, sourceUpdatedAt, sourceUpdatedPrecision }
}

function drawSourceTime(
  random: Random,
  ms: number,
): [at: string | null, precision: 'timestamp' | 'date' | null] {
  const time = new Date(ms).toISOString()
  const kind = random.whole(0, 5)
  if (kind <= 1) return [time, 'timestamp']
  if (kind <= 3) return [`${time.slice(0, 10)}T00:00:00Z`, 'date']
  return [kind === 4 ? time : null, null]
}

function drawDetection(random: Random, { site }: Provider): Partial<ServiceEvent> {
  if (random.chance(0.6)) return { canonicalUrl: null, detectedVia: null }
  return { canonicalUrl: `https://${site}`, detectedVia: random.pick(['feed', 'page', 'api']) }
}
