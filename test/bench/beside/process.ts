import { createSender, fixture } from '@feed-receiver/sender'
import type { Store } from '../bench-store.ts'
import { cpuTime } from '../cpu-time.ts'
import type { Figure } from '../figure.ts'
import { takeTurns } from '../interleave.ts'
import { startLoad } from '../start-load.ts'
import { compare } from '../compare.ts'
import { contenderNames, type ContenderName } from '../contenders/contenders.ts'
import {
  fewLogFiles,
  forEach,
  secret,
  startServer,
  startStoreOf,
  stopAll,
  type Part,
} from './contender-server.ts'

/** The resident size of a new server process after the same events. */
export async function compareMemory({ say, isQuick }: Part): Promise<Figure[]> {
  const { rounds, stored } = isQuick ? { rounds: 1, stored: 5_000 } : { rounds: 2, stored: 10_000 }
  say(`memory: ${rounds} times ${stored} events to a new process`)
  const stores = await forEach(contenderNames, (name) =>
    startStoreOf(name, { logFiles: fewLogFiles }),
  )
  let round = 0
  try {
    const measured = await takeTurns(contenderNames, { rounds, warmUps: 0 }, async (name) => {
      const server = startServer(name, stores[name])
      const port = Number(await server.nextLine())
      const newEvents = `memory_${(round += 1)}`
      const plan = { port, connections: 64, seconds: 300, requests: stored, secret, newEvents }
      const load = await startLoad(plan)
      await load.round()
      load.stop()
      server.send('')
      const size = Number(await server.nextLine())
      server.kill()
      return size
    })
    return compare(`memory of Node after ${stored} events`, 'MiB', measured, (size) => size)
  } finally {
    await stopAll(stores)
  }
}

/** From the start of a process on existing data to its first accepted delivery. */
export async function compareStarts({ say, isQuick }: Part): Promise<Figure[]> {
  const rounds = isQuick ? 3 : 10
  say(`start: ${rounds} starts of each server on an existing database`)
  const stores = await forEach(contenderNames, (name) =>
    startStoreOf(name, { logFiles: fewLogFiles }),
  )
  try {
    const measured = await takeTurns(contenderNames, { rounds }, (name) =>
      start(name, stores[name]),
    )
    return [
      ...compare('start', 's', measured, ({ wallSeconds }) => wallSeconds),
      ...compare('start, CPU of Node', 's', measured, ({ cpuSeconds }) => cpuSeconds),
    ]
  } finally {
    await stopAll(stores)
  }
}

async function start(name: ContenderName, store: Store) {
  const sender = createSender({ secret })
  const startedAt = performance.now()
  const server = startServer(name, store)
  const to = `http://127.0.0.1:${await server.nextLine()}/webhooks/feed`
  const event = fixture('outage_started', { id: `start_${startedAt}` })
  const { status } = await sender.attempt(event, { to })
  const wallSeconds = (performance.now() - startedAt) / 1_000
  const cpuSeconds = cpuTime(server.pid) / 1_000_000
  server.kill()
  await sender.close()
  if (status !== 202) throw new Error(`The delivery to ${name} was answered with ${status}.`)
  return { wallSeconds, cpuSeconds }
}
