import type { ServiceEvent } from '../events/event-schema.ts'
import { providers, type Provider } from './providers.ts'
import type { Random } from './random.ts'
import { templates } from './templates.ts'

// A type comes from outside, and every object has a member `constructor`.
const templateOf = new Map(Object.entries(templates))

/** The types that can be drawn one by one. */
export const drawableTypes = [...templateOf.keys()]

/** Makes up an event of this type, as of this time. */
export function drawEvent(
  random: Random,
  { type, provider, at }: { type: string; provider?: Provider; at: Date },
): ServiceEvent {
  const of = provider ?? random.pick(providers)
  const template = templateOf.get(type) ?? templateOf.get('release_note')
  if (!template) throw new Error('There is no template for a release note.')
  const { sourcePath, ...content } = template(of, random)
  return {
    id: random.id('evt_'),
    providerSlug: of.slug,
    eventType: type,
    ...content,
    sourceUrl: `https://${of.site}/${sourcePath}`,
    confirmationState: random.chance(0.12) ? 'unconfirmed' : 'confirmed',
    firstObservedAt: at.toISOString(),
    ...drawSourceTime(random, at),
    ...drawAbsences(random, of),
  }
}

/** What a source says of its own time: a time, a day, nothing, or nothing at all (R24, R26, R38). */
export function drawSourceTime(random: Random, at: Date): Partial<ServiceEvent> {
  const published = new Date(at.getTime() - random.whole(1, 240) * 60_000)
  const kind = random.whole(0, 3)
  if (kind === 0) {
    return { sourcePublishedAt: published.toISOString(), sourcePublishedPrecision: 'timestamp' }
  }
  if (kind === 1) {
    const day = `${published.toISOString().slice(0, 10)}T00:00:00Z`
    return { sourcePublishedAt: day, sourcePublishedPrecision: 'date' }
  }
  return kind === 2 ? { sourcePublishedAt: null, sourcePublishedPrecision: null } : {}
}

// Absent and null mean the same, so both are there to be met.
function drawAbsences(random: Random, { site }: Provider): Partial<ServiceEvent> {
  const kind = random.whole(0, 2)
  if (kind === 0) return {}
  if (kind === 1)
    return { canonicalUrl: null, detectedVia: null, correctedAt: null, retractedAt: null }
  return { canonicalUrl: `https://${site}`, detectedVia: random.pick(['feed', 'page', 'api']) }
}
