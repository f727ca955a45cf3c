import type { Provider } from './providers.ts'
import type { Random } from './random.ts'

/** What one type of event has to say. */
export interface Content {
  category: string
  subjectType: string | null
  subjectKey: string | null
  title: string
  summary: string | null
  evidenceState: string
  /** Below the provider's site. */
  sourcePath: string
  benchmark?: {
    current?: Record<string, unknown> | null
    previous?: Record<string, unknown> | null
  }
}

export type Template = (provider: Provider, random: Random) => Content

/**
 * One template for each documented type but the steps of an outage, which come in threads, and the
 * test delivery, which is never in the feed (R209, R213); and one of a type that nobody knows (R210).
 */
export const templates: Readonly<Record<string, Template>> = {
  model_release: about('model', (model, { name }, random) => ({
    title: `${model} is generally available`,
    summary: `${name} releases ${model} with a context window of ${random.pick(contexts)} tokens.`,
    evidenceState: 'official_publication',
    sourcePath: `news/${model}`,
  })),
  api_model_listed: about('model', (model) => ({
    title: `${model} appears in the model list of the API`,
    summary: null,
    evidenceState: 'api_listed',
    sourcePath: 'api/v1/models',
  })),
  model_removed: about('model', (model, { name }) => ({
    title: `${model} is no longer served`,
    summary: `Requests for ${model} fail from today; ${name} names a successor in its documentation.`,
    evidenceState: 'documented',
    sourcePath: `docs/deprecations#${model}`,
  })),
  // No documentation lists it, as types are an open set; facts about models need one of this kind.
  model_deprecated: about('model', (model, { name }, random) => ({
    title: `${model} is deprecated`,
    summary: `${name} asks to move away from ${model}.`,
    evidenceState: random.pick(['documented', 'official_publication']),
    sourcePath: `docs/deprecations#${model}`,
  })),
  pricing_update: about('model', (model, _, random) => ({
    category: 'pricing',
    title: `The pricing page mentions ${model} with cached input`,
    summary: `Cached input tokens cost ${random.whole(10, 50)} % of the listed price.`,
    evidenceState: 'documented',
    sourcePath: 'pricing',
  })),
  pricing_changed: about('model', (model, _, random) => ({
    category: 'pricing',
    title: `Output tokens of ${model} are ${random.whole(10, 60)} % cheaper`,
    summary: `Now $${random.whole(1, 30)} per million output tokens.`,
    evidenceState: 'documented',
    sourcePath: 'pricing',
  })),
  benchmark_model_added: benchmark((model, name) => `${model} enters ${name}`, false),
  benchmark_rank_changed: benchmark((model, name) => `${model} moves in ${name}`, true),
  benchmark_version_changed: benchmark((_, name) => `${name} publishes a new revision`, true),
  api_contract_update: api((service, random) => ({
    title: `${service} adds a parameter`,
    summary: `The reference of the ${service} lists ${random.pick(parameters)}; it is optional.`,
  })),
  api_endpoint_documented: api((service, random) => ({
    title: `${service} documents a new endpoint`,
    summary: `POST /v1/${random.pick(['drafts', 'sessions', 'evaluations'])} is in the reference.`,
  })),
  documentation_update: api((service) => ({
    title: `The guide to ${service} was rewritten`,
    summary: null,
  })),
  app_feature_update: app((name) => ({
    title: `${name} can share projects`,
    summary: `Projects in ${name} can be shared with a team, read-only or with edits.`,
  })),
  desktop_app_update: app((name, version) => ({
    title: `${name} ${version} for desktop`,
    summary: `Version ${version} starts faster & fixes <copy> on multiple displays.`,
  })),
  cli_update: app((name, version) => ({
    title: `The command line of ${name} is at ${version}`,
    summary: `Adds --json to every command; "login" works over SSH.`,
  })),
  release_note: app((name, version) => ({
    title: `Release notes of ${name} ${version}`,
    summary: null,
  })),
  research_published: news('research', ({ name }, random) => ({
    title: `${name} on ${random.pick(topics)}`,
    summary: 'A report with method, data and limits – code follows “in the coming weeks”.',
  })),
  official_post_published: news('other', ({ name }, random) => ({
    title: `${name} opens an office in ${random.pick(['Zürich', 'São Paulo', '東京'])}`,
    summary: null,
  })),
  policy_notice_posted: news('other', ({ name }) => ({
    title: `${name} updates its usage policy`,
    summary: 'A type of event that no documentation lists: keep it as it is.',
  })),
}

const contexts = ['128,000', '200,000', '400,000', '1,000,000'] as const
const parameters = ['service_tier', 'cache_ttl', 'max_tool_calls'] as const
const topics = ['long-horizon planning', 'cheaper attention', 'measuring honesty'] as const
const boards = ['Open Reasoning Board', 'CodeBench Verified', 'Voice Arena'] as const

type Said = Pick<Content, 'title' | 'summary'>

function about(
  subjectType: string,
  say: (
    model: string,
    provider: Provider,
    random: Random,
  ) => Omit<Content, 'category' | 'subjectType' | 'subjectKey'> & { category?: string },
): Template {
  return (provider, random) => {
    const model = random.pick(provider.models)
    const subject = { subjectType, subjectKey: `${provider.slug}/${model}` }
    return { category: 'models', ...subject, ...say(model, provider, random) }
  }
}

function benchmark(
  title: (model: string, board: string) => string,
  hasPrevious: boolean,
): Template {
  return (provider, random) => {
    const model = random.pick(provider.models)
    const board = random.pick(boards)
    const rank = random.whole(1, 12)
    const current = evidence(random, model, board, rank)
    const previous = evidence(random, model, board, rank + random.whole(1, 5))
    // What is not there is null or absent, which mean the same (R38).
    const changed = [{ current, previous }, { current: null, previous }, { previous }] as const
    const added = [{ current, previous: null }, { current }] as const
    return {
      category: 'benchmarks',
      subjectType: 'benchmark',
      subjectKey: board.toLowerCase().replaceAll(' ', '-'),
      title: title(model, board),
      summary: `${model} is at rank ${rank} of ${board}.`,
      evidenceState: 'official_publication',
      sourcePath: `leaderboard#${model}`,
      benchmark: hasPrevious ? random.pick(changed) : random.pick(added),
    }
  }
}

// The names inside are not documented; these are plausible ones (R33).
function evidence(
  random: Random,
  model: string,
  board: string,
  rank: number,
): Record<string, unknown> {
  return {
    benchmark: board,
    model,
    rank,
    score: random.whole(400, 980) / 10,
    cohort: 'public',
    costUsd: random.whole(100, 9000) / 100,
    latencyMs: random.whole(200, 9000),
    split: 'test',
    revision: `2026.${random.whole(1, 9)}`,
    comparable: random.chance(0.8),
  }
}

function api(say: (service: string, random: Random) => Said): Template {
  return (provider, random) => {
    const service = random.pick(provider.services)
    const key = service.toLowerCase().replaceAll(' ', '-')
    return {
      category: 'api',
      subjectType: 'api',
      subjectKey: `${provider.slug}/${key}`,
      evidenceState: 'documented',
      sourcePath: `docs/${key}`,
      ...say(service, random),
    }
  }
}

function app(say: (name: string, version: string) => Said): Template {
  return (provider, random) => {
    const name = random.pick(provider.apps)
    const version = `${random.whole(1, 9)}.${random.whole(0, 30)}.${random.whole(0, 9)}`
    return {
      category: 'products',
      subjectType: 'app',
      subjectKey: `${provider.slug}/${name.toLowerCase().replaceAll(' ', '-')}`,
      evidenceState: 'official_publication',
      sourcePath: `releases/${version}`,
      ...say(name, version),
    }
  }
}

function news(category: string, say: (provider: Provider, random: Random) => Said): Template {
  return (provider, random) => ({
    category,
    subjectType: null,
    subjectKey: null,
    evidenceState: 'official_publication',
    sourcePath: `news/${random.whole(1000, 9999)}`,
    ...say(provider, random),
  })
}
