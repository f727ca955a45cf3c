import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { FeedEvent } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import { deliveryOf } from '../contract/delivery-inbox.ts'
import { makeEvent, secret } from '../contract/harness.ts'

/** One answer; status 0 where there was none. */
export interface Answer {
  event: FeedEvent
  status: number
  startedAt: number
  endedAt: number
}

const lanes = 48
/** Between two deliveries of a lane, so that some hundreds come a second, however fast the machine is. */
const restMs = 60
/** A repeat follows its event by up to so many events, so that it meets what has changed since. */
const repeatsBehind = 3_000
const retryMs = 500

/**
 * Sends every event twice, as the service does: again until it is accepted, to any of the receivers
 * that are there by then.
 */
export function createTraffic(receivers: ReadonlySet<number>) {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const events: FeedEvent[] = []
  const answers: Answer[] = []
  const repeats: FeedEvent[] = []
  /** What was not accepted, once it is to be sent again. */
  const retries: FeedEvent[] = []
  let waiting = 0
  let accepted = 0
  let isEnding = false

  return {
    events,
    answers,
    /** How many deliveries have been accepted. */
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
