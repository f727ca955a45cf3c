import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { signDelivery } from '@feed-receiver/core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeEvent, otherSecret, path, secret, setupSocket, type Serve } from './harness.ts'
import { requestBytes } from './wire.ts'

/** How many sockets send bodies that never end. */
const socketCounts = process.env.TEST_FULL_SIZE ? [2_000, 5_000] : [256]

const deliveries = 200
const concurrency = 8

/** Bodies that anybody can send without the secret, since it takes a whole one to find them out. */
export function hostileBodyCases(serve: Serve): void {
  describe('hostile bodies', () => {
    it('413 for chunks that never end, and the connection ends', async () => {
      const { wire, deliver, inbox } = await setupSocket(serve)
      const { headers } = signDelivery(makeEvent(), { secret })
      const connection = await wire()
      const closed = new AbortController()
      void connection.closed.then(() => closed.abort())
      connection.send(
        requestBytes({ path, headers: { ...headers, 'transfer-encoding': 'chunked' } }),
      )
      const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)
      const answer = connection.answer()
      for (let count = 0; count < 1_000 && !closed.signal.aborted; count += 1) {
        connection.send(chunk)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect((await answer).status).toBe(413)
      await connection.closed
      expect(inbox.entries.size).toBe(0)
      expect((await deliver(makeEvent())).status).toBe(202)
    })

    it('503 for the oldest body that is not complete when too many are not', async () => {
      const { wire, deliver, inbox } = await setupSocket(serve, { maxUnfinishedBodies: 2 })
      const { headers, body } = signDelivery(makeEvent(), { secret })
      const bytes = requestBytes({ path, headers, body })
      const oldest = await wire()
      oldest.send(bytes.subarray(0, -1))
      const evicted = oldest.answer()
      // One after the other, so that the oldest is known.
      expect((await deliver(makeEvent())).status).toBe(202)
      const second = await wire()
      second.send(bytes.subarray(0, -1))
      expect((await deliver(makeEvent())).status).toBe(202)
      const answer = await evicted
      expect(answer.status).toBe(503)
      expect(answer.headers.connection).toBe('close')
      expect(answer.body).toContain('"code":"body_evicted"')
      await oldest.closed
      expect(inbox.entries.size).toBe(2)
      second.send(bytes.subarray(-1))
      expect((await second.answer()).status).toBe(202)
    })

    // Each socket sends a signature of the right form and a body that never ends, and each that is
    // closed is opened again.
    it.each(socketCounts)(
      `202 for ${deliveries} deliveries beside %i bodies that never end`,
      async (sockets) => {
        const { deliver, port, inbox, receiver } = await setupSocket(serve)
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
        expect(inbox.entries.size).toBe(deliveries)
        attacker.kill('SIGKILL')
        await receiver.stop()
      },
      60_000,
    )
  })
}

/** Resolves once a process has sent its unfinished request over so many sockets. */
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
