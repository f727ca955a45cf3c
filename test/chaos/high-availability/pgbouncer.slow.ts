import { setTimeout as delay } from 'node:timers/promises'
import { createInbox, type InboxOptions } from '@feed-receiver/inbox'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../contract/delivery-inbox.ts'
import { makeEvent } from '../../contract/harness.ts'
import { startProgram } from '../../support/start-program.ts'
import { createTestDatabase } from '../../support/postgres.ts'
import { startPgBouncer } from './pgbouncer.ts'
import type { DatabaseProxy } from './database-proxy.ts'

const program = new URL('inbox-process.ts', import.meta.url)

describe('an inbox behind PgBouncer in transaction mode', () => {
  let bouncer: DatabaseProxy
  const drops: (() => Promise<void>)[] = []

  beforeAll(async () => {
    bouncer = await startPgBouncer(Number(new URL(inject('postgresUrl')).port))
  })
  afterAll(async () => {
    // Its idle connections would block the drops.
    await bouncer.stop()
    await Promise.all(drops.map((drop) => drop()))
  })

  it('starts in five processes concurrently on an empty database, repeatedly', async () => {
    const rounds = 3
    for (let round = 0; round < rounds; round += 1) {
      const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
      drops.push(drop)
      const processes = Array.from({ length: 5 }, () => startProgram(program, [through(url)]))
      onTestFinished(() => processes.forEach((child) => child.kill('SIGKILL')))
      await Promise.all(processes.map((child) => child.nextLine()))
      for (const child of processes) child.send('start')
      const outcomes = await Promise.all(processes.map((child) => child.nextLine()))
      expect(outcomes).toEqual(processes.map(() => 'started'))
      for (const child of processes) child.send('end')
      await Promise.all(processes.map(({ ended }) => ended))
    }
  })

  it('handles an event without polling delay if it listens directly', async () => {
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    drops.push(drop)
    const polling = await medianLatency({ database: through(url) })
    const listening = await medianLatency({ database: through(url), listenUrl: url })
    console.log(`handled after ${polling} ms by polling, ${listening} ms by listening`)
    expect(listening).toBeLessThan(polling / 2)
    // Nothing tells a worker that it hears nothing, so it must not wait as long as one that listens.
    expect(polling).toBeLessThan(1_000)
  })

  /** From the result of `accept` to the start of the handler, in milliseconds. */
  async function medianLatency(options: InboxOptions): Promise<number> {
    await using inbox = createInbox(options)
    await inbox.start()
    const latencies: number[] = []
    let acceptedAt = 0
    let onHandled = () => {}
    await inbox.work({
      '*': () => {
        latencies.push(performance.now() - acceptedAt)
        onHandled()
      },
    })
    // Long enough for the worker to find the inbox quiet.
    await delay(1_500)
    for (let count = 0; count < 15; count += 1) {
      const handled = new Promise<void>((resolve) => (onHandled = resolve))
      await inbox.accept(deliveryOf(makeEvent()))
      acceptedAt = performance.now()
      await handled
    }
    return Math.round(latencies.toSorted((a, b) => a - b)[7] ?? 0)
  }

  function through(url: string): string {
    const bounced = new URL(url)
    bounced.port = String(bouncer.port)
    return bounced.href
  }
})
