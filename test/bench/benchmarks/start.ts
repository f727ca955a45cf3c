/**
 * From the start of an app with an embedded database to its first accepted delivery: with the first
 * database of a user, with another new one, and with an existing one.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSender, fixture } from '@feed-receiver/sender'
import { figureOf, type Figure } from '../figure.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const rounds = 5
const goals: Record<string, number> = { first: 3, new: 3, existing: 1.2 }

interface Started {
  cpuSeconds: number
  wallSeconds: number
}

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const figures: Record<string, Started[]> = { first: [], new: [], existing: [] }
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    const home = await mkdtemp(join(tmpdir(), 'feed-receiver-start-'))
    process.env.XDG_CACHE_HOME = join(home, 'cache')
    figures.first?.push(await start(join(home, 'first')))
    figures.new?.push(await start(join(home, 'new')))
    figures.existing?.push(await start(join(home, 'new')))
    await rm(home, { recursive: true })
  }
  return Object.entries(figures).flatMap(([name, all]) => {
    const cpu = all.map(({ cpuSeconds }) => cpuSeconds)
    const wall = all.map(({ wallSeconds }) => wallSeconds)
    return [
      figureOf(`${name}: CPU`, 's', cpu, { atMost: goals[name] ?? 0 }),
      figureOf(`${name}: time`, 's', wall),
    ]
  })
}

async function start(folder: string): Promise<Started> {
  const startedAt = performance.now()
  const app = startBenchProgram('embedded-app.ts', [folder, secret])
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
