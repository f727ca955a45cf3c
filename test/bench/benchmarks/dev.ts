/**
 * `feed-receiver dev`: from the command to the first handled event in an app from a template, the
 * size and the scrolling of its page, and the cost of the open page for an app that stores events.
 */
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createConsole } from '@feed-receiver/console'
import { createInbox } from '@feed-receiver/inbox'
import { createSandbox } from '@feed-receiver/sandbox'
import { Pool } from 'pg'
import type { Page } from 'playwright-core'
import { openBrowser } from '../../browser/chromium.ts'
import { devPage as folder } from 'feed-receiver/internal'
import { builtProgram, repository } from '../../support/built-program.ts'
import { startCommand } from '../../support/start-program.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import { startWarmPostgres } from '../warm-postgres.ts'
import { startLoadOn } from '../start-load.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const bin = builtProgram(new URL('../../../packages/cli/src/bin.ts', import.meta.url))
const starts = 5
const events = 5_000

export async function measure(
  say: (line: string) => void,
  parts: readonly string[],
): Promise<Figure[]> {
  const isAsked = (part: string) => parts.length === 0 || parts.includes(part)
  const figures: Figure[] = [sizeOfPage()]
  if (isAsked('start')) figures.push(await measureStart(say))
  if (isAsked('scroll') || isAsked('accept')) figures.push(...(await measurePage(say, isAsked)))
  return figures
}

function sizeOfPage(): Figure {
  const assets = new URL('assets/', folder)
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
  const sizes = scripts.map((name) => gzipSync(readFileSync(new URL(name, assets))).length / 1000)
  return figureOf('script of the page, gzipped', 'kB', [sizes.reduce((a, b) => a + b, 0)], {
    atMost: 40,
  })
}

/** Each start has its own feed, because a first event is published only if there was none. */
async function measureStart(say: (line: string) => void): Promise<Figure> {
  const app = await mkdtemp(join(tmpdir(), 'feed-receiver-dev-'))
  try {
    await cp(join(repository, 'templates/express'), app, { recursive: true })
    await symlink(join(repository, 'node_modules'), join(app, 'node_modules'))
    const seconds: number[] = []
    for (let start = 0; start <= starts; start += 1) {
      say(`start ${start} of ${starts}`)
      seconds.push(await timeToFirstEvent(app))
    }
    // The first one is the warm-up, which creates the databases.
    return figureOf('command to first handled event, warm', 's', seconds.slice(1), { atMost: 3 })
  } finally {
    await rm(app, { recursive: true })
  }
}

async function timeToFirstEvent(cwd: string): Promise<number> {
  const startedAt = performance.now()
  const app = [process.execPath, '--import', 'tsx', 'src/main.ts']
  const args = [bin, 'dev', '--port', '0', '--fresh', '--', ...app]
  const dev = startCommand(process.execPath, args, {
    cwd,
    env: { ...process.env, FEED_SIGNING_SECRET: secret, PORT: '3917' },
    showsErrors: true,
  })
  // The handler of the template prints this.
  await dev.nextLine('New model:')
  const seconds = (performance.now() - startedAt) / 1000
  await dev.stop('SIGINT')
  return seconds
}

async function measurePage(
  say: (line: string) => void,
  isAsked: (part: string) => boolean,
): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  const pool = new Pool({ connectionString: postgres.url, max: 4 })
  const inbox = createInbox({ database: pool })
  await inbox.start()
  const console = createConsole({ inbox, authorize: () => ({ name: 'bench' }) })
  const sandbox = createSandbox({
    database: postgres.url,
    port: 0,
    historyDays: 0,
    page: { folder, inbox: console },
  })
  await sandbox.start()
  const browser = await openBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    const figures: Figure[] = []
    if (isAsked('accept')) {
      say('accepting with the page open, and without')
      figures.push(await measureAccept(page, sandbox.controlUrl, postgres.url))
    }
    if (isAsked('scroll')) {
      say(`filling ${events} events`)
      await fill(pool)
      await page.goto(sandbox.controlUrl)
      figures.push(...(await measureScrolling(page, say)))
    }
    return figures
  } finally {
    await browser.close()
    await sandbox.stop()
    await inbox.stop()
    await pool.end()
    await postgres.stop()
  }
}

async function fill(pool: Pool): Promise<void> {
  await pool.query(
    `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
       confirmation, created_at, received_at, handled_at)
     select 'feed', 'many_' || n, 'done', 'model_release', 'p', 'c', 'Release ' || n, 'confirmed',
       now(), now() - n * interval '1 second', now()
     from generate_series(1, $1::integer) n`,
    [events],
  )
}

/** Scrolls like a person, one step per frame, from the top to the end and back. */
async function measureScrolling(page: Page, say: (line: string) => void): Promise<Figure[]> {
  await page.locator('.event-row').first().waitFor()
  const list = page.locator('.long-list li').first()
  while (Number(await list.getAttribute('aria-setsize')) < events) {
    await page.getByRole('button', { name: 'Show older' }).click()
  }
  say('scrolling')
  const gaps = await page.evaluate<number[]>(`new Promise((resolve) => {
    const gaps = []
    let last, at = 0, by = 400
    const step = (now) => {
      if (last !== undefined) gaps.push(now - last)
      last = now
      scrollTo(0, (at += by))
      if (at > document.documentElement.scrollHeight) by = -400
      if (at >= 0) requestAnimationFrame(step)
      else resolve(gaps)
    }
    requestAnimationFrame(step)
  })`)
  const late = gaps.filter((gap) => gap > 25).length / gaps.length
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  return [
    figureOf(`${events} events: frames while scrolling`, '/s', [1000 / mean], { atLeast: 59 }),
    figureOf(`${events} events: frames that were late`, '%', [late * 100]),
  ]
}

async function measureAccept(page: Page, url: string, database: string): Promise<Figure> {
  const server = startBenchProgram('accept-server.ts', [
    'express',
    'feed-receiver',
    secret,
    database,
  ])
  const plan = { connections: 64, seconds: 1, secret, newEvents: 'beside_the_page' }
  const load = await startLoadOn(server, plan)
  const ways = ['open', 'closed'] as const
  const measured = await takeTurns(ways, { rounds: 12, warmUps: 2 }, async (way) => {
    await page.goto(way === 'open' ? url : 'about:blank')
    if (way === 'open') await page.locator('.event-row, .empty').first().waitFor()
    return await load.round()
  })
  load.stop()
  const rates = (way: (typeof ways)[number]) =>
    measured[way].map(({ requests, seconds }) => requests / seconds)
  return figureOf('accepting, page open to closed', '×', ratios(rates('open'), rates('closed')), {
    atLeast: 0.95,
  })
}
