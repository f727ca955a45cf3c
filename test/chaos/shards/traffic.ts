import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { FeedEvent } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import { deliveryOf } from '../../contract/delivery-inbox.ts'
import { makeEvent, secret } from '../../contract/harness.ts'

/** One response, with status 0 if there was none. */
export interface Answer {
  event: FeedEvent
  status: number
  startedAt: number
  endedAt: number
}

const lanes = 48
/** The pause between two deliveries of a lane, for some hundreds per second on any machine. */
const restMs = 60
/** A duplicate follows its event by up to this many events, so that it meets changes meanwhile. */
const repeatsBehind = 3_000
const retryMs = 500

/** Sends every event twice, and retries until it is accepted, to any current receiver. */
export function createTraffic(receivers: ReadonlySet<number>) {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const events: FeedEvent[] = []
  const answers: Answer[] = []
  const repeats: FeedEvent[] = []
  /** Events to send again because they were not accepted. */
  const retries: FeedEvent[] = []
  let waiting = 0
  let accepted = 0
  let isEnding = false

  return {
    events,
    answers,
    /** The number of accepted deliveries. */
    accepted: () => accepted,
    /** Sends until `end` is called and every event has been accepted twice. */
    async run(): Promise<void> {
      await Promise.all(Array.from({ length: lanes }, () => drive()))
      agent.destroy()
    },
    end(): void {
      isEnding = true
    },
  }

  async function drive(): Promise<void> {
    for (;;) {
      const event = retries.pop() ?? next()
      if (event) await Promise.all([deliver(event), delay(restMs)])
      else if (waiting === 0) return
      else await delay(retryMs)
    }
  }

  function next(): FeedEvent | undefined {
    const isDue = repeats.length > 0 && (isEnding || repeats.length > repeatsBehind * Math.random())
    if (isDue) return repeats.splice(Math.floor(Math.random() * repeats.length), 1)[0]
    if (isEnding) return undefined
    const { event } = deliveryOf(makeEvent({ created_at: new Date().toISOString() }))
    events.push(event)
    repeats.push(event)
    return event
  }

  async function deliver(event: FeedEvent): Promise<void> {
    const startedAt = performance.now()
    const status = await attempt(event)
    answers.push({ event, status, startedAt, endedAt: performance.now() })
    if (status === 200 || status === 202) {
      accepted += 1
      return
    }
    waiting += 1
    setTimeout(() => {
      waiting -= 1
      retries.push(event)
    }, retryMs)
  }

  function attempt(event: FeedEvent): Promise<number> {
    const ports = [...receivers]
    const port = ports[Math.floor(Math.random() * ports.length)]
    if (port === undefined) return Promise.resolve(0)
    const { method, headers, body } = signDelivery(event, { secret })
    return new Promise((resolve) => {
      const sent = request({ host: '127.0.0.1', port, method, headers, agent }, (answer) => {
        answer.resume().once('close', () => resolve(answer.statusCode ?? 0))
      })
      sent.once('error', () => resolve(0))
      sent.end(body)
    })
  }
}
