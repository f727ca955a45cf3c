/**
 * From the start of an app to its first accepted delivery: `postgres` with existing tables, and
 * `embedded` with the first database of a user (alone, and from `feed-receiver dev`, which ships a
 * template), with another new one, and with an existing one.
 * `--before <commit>` builds that commit, and compares with it in alternating starts.
 */
import { execFileSync } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installTemplates } from '@feed-receiver/database/internal'
import { createSender, fixture } from '@feed-receiver/sender'
import { builtProgram, repository } from '../../support/built-program.ts'
import { createTestDatabase, startPostgres } from '../../support/postgres.ts'
import { startCommand } from '../../support/start-program.ts'
import type { BenchOptions } from '../bench.ts'
import { buildCommit } from '../build-commit.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const packTemplates = join(repository, 'packages/cli/pack-templates.mjs')
const shippedTemplates = join(repository, 'packages/cli/dist/templates')
const program = builtProgram(new URL('../start-app.ts', import.meta.url))
/** For the processor time, in seconds. */
const goals = { 'PostgreSQL, existing': 0.5, first: 3, 'first, from dev': 2, new: 2, existing: 1.2 }
const rounds = { postgres: 15, embedded: 5 }

type Title = keyof typeof goals

interface Started {
  cpuSeconds: number
  wallSeconds: number
}

export async function measure(
  say: (line: string) => void,
  parts: readonly string[],
  { before }: BenchOptions,
): Promise<Figure[]> {
  const isAsked = (part: string) => parts.length === 0 || parts.includes(part)
  const apps: Record<string, string> = { now: program }
  let built: string | undefined
  if (before !== undefined) {
    say(`building ${before}`)
    built = await buildCommit(before)
    apps.before = join(built, 'test/.built/bench/start-app.js')
    await cp(program, apps.before)
  }
  try {
    return [
      ...(isAsked('postgres') ? await onPostgres(say, apps) : []),
      ...(isAsked('embedded') ? await embedded(say, apps) : []),
    ]
  } finally {
    if (built !== undefined) await rm(built, { recursive: true })
  }
}

/** The warm-up creates the tables of each app. */
async function onPostgres(
  say: (line: string) => void,
  apps: Readonly<Record<string, string>>,
): Promise<Figure[]> {
  const server = await startPostgres({ isDurable: true })
  try {
    say(`${rounds.postgres} starts on PostgreSQL`)
    const urls: Record<string, string> = {}
    for (const name of Object.keys(apps)) urls[name] = (await createTestDatabase(server)).url
    const measured = await takeTurns(Object.keys(apps), { rounds: rounds.postgres }, (name) =>
      start(apps[name] ?? '', urls[name] ?? ''),
    )
    return figuresOf('PostgreSQL, existing', measured)
  } finally {
    await server.stop()
  }
}

async function embedded(
  say: (line: string) => void,
  apps: Readonly<Record<string, string>>,
): Promise<Figure[]> {
  execFileSync(process.execPath, [packTemplates], { stdio: 'inherit' })
  say(`${rounds.embedded} rounds of embedded starts`)
  const plan = { rounds: rounds.embedded, warmUps: 0 }
  const measured = await takeTurns(Object.keys(apps), plan, async (name) => {
    const home = await mkdtemp(join(tmpdir(), 'feed-receiver-start-'))
    const startIn = (folder: string) => start(apps[name] ?? '', `file:${join(home, folder)}`)
    // An empty cache has no template of a database.
    process.env.XDG_CACHE_HOME = join(home, 'empty')
    const first = await startIn('first')
    process.env.XDG_CACHE_HOME = join(home, 'installed')
    installTemplates(shippedTemplates)
    const all = [first, await startIn('from dev'), await startIn('new'), await startIn('new')]
    await rm(home, { recursive: true })
    return all
  })
  const titles = ['first', 'first, from dev', 'new', 'existing'] as const
  return titles.flatMap((title, index) => {
    const pick = (all: Started[][]) => all.flatMap((starts) => starts[index] ?? [])
    return figuresOf(
      title,
      Object.fromEntries(Object.entries(measured).map(([name, all]) => [name, pick(all)])),
    )
  })
}

function figuresOf(title: Title, { now = [], before }: Record<string, Started[]>): Figure[] {
  const cpuOf = (all: Started[]) => all.map(({ cpuSeconds }) => cpuSeconds)
  const wall = now.map(({ wallSeconds }) => wallSeconds)
  return [
    figureOf(`${title}: CPU`, 's', cpuOf(now), { atMost: goals[title] }),
    figureOf(`${title}: time`, 's', wall),
    ...(before
      ? [
          figureOf(`${title}: CPU to before`, '×', ratios(cpuOf(now), cpuOf(before)), {
            atMost: 1.05,
          }),
        ]
      : []),
  ]
}

async function start(path: string, database: string): Promise<Started> {
  const startedAt = performance.now()
  const options = { hasInput: true, showsErrors: true }
  const app = startCommand(process.execPath, [path, database, secret], options)
  const sender = createSender({ secret })
  const event = fixture('outage_started', { id: `start_${startedAt}` })
  const to = `http://127.0.0.1:${await app.nextLine()}`
  const { status } = await sender.attempt(event, { to })
  const wallSeconds = (performance.now() - startedAt) / 1_000
  if (status !== 202) throw new Error(`The delivery was answered with ${status}.`)
  app.send('')
  const cpuSeconds = Number(await app.nextLine())
  // Leaves the database as after a crash, which opening must handle, too.
  app.kill()
  await sender.close()
  return { cpuSeconds, wallSeconds }
}
