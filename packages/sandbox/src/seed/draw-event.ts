import { parseInput } from '../server/rejections.ts'
import { serviceEvent, type ServiceEvent } from '../state/service-event.ts'
import json from './providers.json' with { type: 'json' }
import type { Random } from './random.ts'
import made from './templates.json' with { type: 'json' }

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const providers = [...json]

/** A made-up provider. Its links use domains that are reserved for examples. */
export type Provider = (typeof providers)[number]

interface Template {
  /**
   * Values drawn first, for use in the texts: `{board}`, or `{boardKey}` in the spelling of keys.
   */
  draws: Record<string, string>
  /**
   * In texts `{10-50}` is a random number in this range, and `{cities}` or `{models}` a random
   * word.
   */
  texts: Record<string, string | null>
}

/**
 * A template for each documented type, with two exceptions: steps of an outage come in threads, and
 * the test delivery is never in the feed. Also one of an unknown type, and the
 * undocumented model_deprecated, which facts about models need.
 */
const templates = new Map<string, Template>(
  Object.values(made.kinds).flatMap(({ draws, texts, types }) =>
    Object.entries<Template['texts']>(types).map(([type, own]) => [
      type,
      { draws, texts: { ...texts, ...own } },
    ]),
  ),
)

export const drawableTypes = [...templates.keys()]

export function drawEvent(
  random: Random,
  { type, provider = random.pick(providers), at }: { type: string; provider?: Provider; at: Date },
): ServiceEvent {
  const content = drawContent(random, type, provider)
  return omitSomeEmpty(random, {
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

/** Leaves out some empty members: absent and null mean the same, and both should occur. */
export function omitSomeEmpty(random: Random, event: object): ServiceEvent {
  const remaining = Object.entries(event).filter(([name, value]) => {
    // An event without a category is delivered with the category `other`.
    const isNothing = value === null || (name === 'category' && value === 'other')
    return !isNothing || random.chance(0.5)
  })
  // Validated, because the draft may come from outside.
  return parseInput(serviceEvent, Object.fromEntries(remaining))
}

/** Draws the source's own times: a time, a day, one of unknown precision, or none. */
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

/** Draws the content for a type. A type without a template gets that of a release note. */
function drawContent(random: Random, type: string, provider: Provider) {
  const { models, apps, services, slug, name, site } = provider
  const template = templates.get(type) ?? templates.get('release_note')
  const words: Record<string, readonly string[]> = { ...made.words, models, apps, services }
  const named: Record<string, string> = { slug, name, site }
  const fill = (text: string) =>
    text.replaceAll(/\{([\w-]+)\}/g, (_, word: string) => named[word] ?? draw(word))
  const draw = (word: string) => {
    const [min = 0, max] = word.split('-').map(Number)
    return max === undefined ? random.pick(words[word] ?? []) : `${random.whole(min, max)}`
  }
  for (const [what, text] of Object.entries(template?.draws ?? {})) {
    const drawn = fill(text)
    named[what] = drawn
    named[`${what}Key`] = toKey(drawn)
  }
  const texts = Object.entries(template?.texts ?? {})
  return {
    ...Object.fromEntries(texts.map(([member, text]) => [member, text && fill(text)])),
    ...(named['board'] && { benchmark: drawBenchmark(random, named, type) }),
  }
}

/** The spelling of a name in keys: "Messages API" becomes `messages-api`. */
export function toKey(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

function drawBenchmark(random: Random, named: Record<string, string>, type: string) {
  const { board, model, rank } = named
  // The names of these members are not documented; these are plausible ones.
  const evidence = (place: number) => ({
    benchmark: board,
    model,
    rank: place,
    score: random.whole(400, 980) / 10,
    cohort: 'public',
    costUsd: random.whole(100, 9000) / 100,
    latencyMs: random.whole(200, 9000),
    split: 'test',
    revision: `2026.${random.whole(1, 9)}`,
    comparable: random.chance(0.8),
  })
  const current = evidence(Number(rank))
  const previous = evidence(Number(rank) + random.whole(1, 5))
  // A missing value is null or absent, which mean the same.
  return type === 'benchmark_model_added'
    ? random.pick([{ current, previous: null }, { current }])
    : random.pick([{ current, previous }, { current: null, previous }, { previous }])
}
