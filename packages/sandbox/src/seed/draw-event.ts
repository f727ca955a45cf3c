import { parseInput } from '../server/refusals.ts'
import { serviceEvent, type ServiceEvent } from '../state/service-event.ts'
import json from './providers.json' with { type: 'json' }
import type { Random } from './random.ts'
import made from './templates.json' with { type: 'json' }

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const providers = [...json]

/** A made-up provider; its links lead to domains that are kept for examples. */
export type Provider = (typeof providers)[number]

interface Template {
  /** What is drawn first, for the texts to name: `{board}`, or `{boardKey}` as keys spell it. */
  draws: Record<string, string>
  /** In these `{10-50}` is a number, and `{cities}` or `{models}` one of those words, drawn there. */
  texts: Record<string, string | null>
}

/**
 * One for each documented type but the steps of an outage, which come in threads, and the test
 * delivery, which is never in the feed (R209, R213); one of a type that nobody knows (R210); and
 * model_deprecated, which no documentation lists either, but facts about models need one of its kind.
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

/** What an event of this type says; as a release note does where there is no template for it. */
function drawContent(random: Random, type: string, provider: Provider) {
  const { models, apps, services, slug, name, site } = provider
  const template = templates.get(type) ?? templates.get('release_note')
  const words: Record<string, readonly string[]> = { ...made.words, models, apps, services }
  const named: Record<string, string> = { slug, name, site }
  const say = (text: string) =>
    text.replaceAll(/\{([\w-]+)\}/g, (_, word: string) => named[word] ?? draw(word))
  const draw = (word: string) => {
    const [least = 0, most] = word.split('-').map(Number)
    return most === undefined ? random.pick(words[word] ?? []) : `${random.whole(least, most)}`
  }
  for (const [what, text] of Object.entries(template?.draws ?? {})) {
    const drawn = say(text)
    named[what] = drawn
    named[`${what}Key`] = toKey(drawn)
  }
  const texts = Object.entries(template?.texts ?? {})
  return {
    ...Object.fromEntries(texts.map(([member, text]) => [member, text && say(text)])),
    ...(named['board'] && { benchmark: drawBenchmark(random, named, type) }),
  }
}

/** A name as keys spell it: "Messages API" as `messages-api`. */
export function toKey(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

function drawBenchmark(random: Random, named: Record<string, string>, type: string) {
  const { board, model, rank } = named
  // The names inside are not documented; these are plausible ones (R33).
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
  // What is not there is null or absent, which mean the same (R38).
  return type === 'benchmark_model_added'
    ? random.pick([{ current, previous: null }, { current }])
    : random.pick([{ current, previous }, { current: null, previous }, { previous }])
}
