import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { signDelivery } from '@feed-receiver/core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeEvent, otherSecret, path, secret } from './harness.ts'
import { nothing, type OpenSocket, type ServerTraits } from './session.ts'
import { requestBytes } from './wire.ts'

/** How many sockets send endless bodies. */
const socketCounts = process.env.TEST_FULL_SIZE ? [2_000, 5_000] : [256]

const deliveries = 200
/** The default limit of a receiver. */
const limit = 1_048_576
const chunkBytes = 65_536
const concurrency = 8

/** Bodies that can be sent without the secret, because verification needs the whole body. */
export function hostileBodyCases(
  open: OpenSocket,
  { closesEarly = true }: ServerTraits = {},
): void {
  describe('hostile bodies', () => {
    it('413 for endless chunks, and closes the connection', async () => {
      const { wire, deliver, holds } = await open({ deadlineMs: 1_000 })
      const { headers } = signDelivery(makeEvent(), { secret })
      const connection = await wire()
      const closed = new AbortController()
      void connection.closed.then(() => closed.abort())
      const chunk = Buffer.from(`${chunkBytes.toString(16)}\r\n${'x'.repeat(chunkBytes)}\r\n`)
      connection.send(
        requestBytes({ path, headers: { ...headers, 'transfer-encoding': 'chunked' } }),
      )
      // A write to a reset connection can discard a response that has arrived.
      // So this reads the response first, and sends more afterwards.
      for (let sent = 0; sent <= limit; sent += chunkBytes) connection.send(chunk)
      expect((await connection.answer()).status).toBe(413)
      for (let count = 0; count < 1_000 && !closed.signal.aborted; count += 1) {
        connection.send(chunk)
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (closesEarly) await connection.closed
      expect(await holds()).toEqual(nothing)
      expect((await deliver(makeEvent())).status).toBe(202)
    })

    it('503 for the oldest incomplete body if there are too many', async () => {
      const { wire, deliver, holds } = await open({ maxUnfinishedBodies: 2 })
      const { headers, body } = signDelivery(makeEvent(), { secret })
      const bytes = requestBytes({ path, headers, body })
      const oldest = await wire()
      oldest.send(bytes.subarray(0, -1))
      const evicted = oldest.answer()
      // In sequence, so that the oldest is known.
      expect((await deliver(makeEvent())).status).toBe(202)
      const second = await wire()
      second.send(bytes.subarray(0, -1))
      expect((await deliver(makeEvent())).status).toBe(202)
      const answer = await evicted
      expect(answer.status).toBe(503)
      expect(answer.headers.connection).toBe('close')
      expect(answer.body).toContain('"code":"body_evicted"')
      if (closesEarly) await oldest.closed
      expect((await holds()).stored).toBe(2)
      second.send(bytes.subarray(-1))
      expect((await second.answer()).status).toBe(202)
    })

    // Each socket sends a well-formed signature and a body that never ends. Closed sockets are
    // reopened.
    it.each(socketCounts)(
      `202 for ${deliveries} deliveries during %i endless bodies`,
      async (sockets) => {
        const { deliver, port, holds, stop } = await open()
        const attacker = await startAttack(port, sockets)
        const events = Array.from({ length: deliveries }, () => makeEvent())
        const statuses: number[] = []
        await Promise.all(
          Array.from({ length: concurrency }, async () => {
            for (let event = events.pop(); event; event = events.pop()) {
              statuses.push((await deliver(event, { secret })).status)
            }
          }),
        )
        expect(statuses).toEqual(Array.from({ length: deliveries }, () => 202))
        expect((await holds()).stored).toBe(deliveries)
        attacker.kill('SIGKILL')
        await stop()
      },
      // On a busy machine the attack alone takes most of a minute.
      180_000,
    )
  })
}

/** Resolves once a process has sent its unfinished request over that many sockets. */
async function startAttack(port: number, sockets: number): Promise<ChildProcess> {
  const { headers, body } = signDelivery(makeEvent(), { secret: otherSecret })
  const program = new URL('hold-bodies.mjs', import.meta.url).pathname
  const child = spawn(process.execPath, [program, String(port), String(sockets)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.end(requestBytes({ path, headers, body }).subarray(0, -1))
  await once(child.stdout, 'data')
  return child
}
