import type { Provider } from './providers.ts'
import type { Random } from './random.ts'

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

type Said = [title: string, summary: string | null]

export function modelEvent(
  say: (
    id: string,
    provider: Provider,
    random: Random,
  ) => [...Said, more: Partial<Content> & Pick<Content, 'sourcePath'>],
): Template {
  return (provider, random) => {
    const id = random.pick(provider.models)
    const [title, summary, more] = say(id, provider, random)
    const subject = { subjectType: 'model', subjectKey: `${provider.slug}/${id}` }
    return { category: 'models', ...subject, title, summary, evidenceState: 'documented', ...more }
  }
}

export function apiEvent(say: (service: string, random: Random) => Said): Template {
  return (provider, random) => {
    const service = random.pick(provider.services)
    const key = service.toLowerCase().replaceAll(' ', '-')
    const [title, summary] = say(service, random)
    const subject = { subjectType: 'api', subjectKey: `${provider.slug}/${key}` }
    const source = { evidenceState: 'documented', sourcePath: `docs/${key}` }
    return { category: 'api', ...subject, ...source, title, summary }
  }
}

export function appEvent(say: (name: string, version: string) => Said): Template {
  return (provider, random) => {
    const name = random.pick(provider.apps)
    const version = `${random.whole(1, 9)}.${random.whole(0, 30)}.${random.whole(0, 9)}`
    const key = name.toLowerCase().replaceAll(' ', '-')
    const [title, summary] = say(name, version)
    const subject = { subjectType: 'app', subjectKey: `${provider.slug}/${key}` }
    const source = { evidenceState: 'official_publication', sourcePath: `releases/${version}` }
    return { category: 'products', ...subject, ...source, title, summary }
  }
}

export function newsEvent(
  category: string,
  say: (provider: Provider, random: Random) => Said,
): Template {
  return (provider, random) => {
    const sourcePath = `news/${random.whole(1000, 9999)}`
    const [title, summary] = say(provider, random)
    const source = { evidenceState: 'official_publication', sourcePath }
    return { category, subjectType: null, subjectKey: null, ...source, title, summary }
  }
}

const boards = ['Open Reasoning Board', 'CodeBench Verified', 'Voice Arena'] as const

export function benchmarkEvent(
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
