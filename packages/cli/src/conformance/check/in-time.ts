import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

interface Limits {
  limitMs: number
  signal: AbortSignal
}

/** The result of a promise, or undefined after a timeout. */
export function withinTime<T>(
  promise: Promise<T>,
  { limitMs, signal }: Limits,
): Promise<T | undefined> {
  return Promise.race([promise, delay(limitMs, undefined, { signal, ref: false })])
}

/** Polls until an answer will do or the time is up; returns the last answer. */
export async function askUntil<T>(
  ask: () => Promise<T>,
  willDo: (answer: T) => boolean,
  { limitMs, everyMs = 200, signal }: Limits & { everyMs?: number },
): Promise<T> {
  const endsAt = performance.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (willDo(answer) || performance.now() > endsAt) return answer
    await delay(everyMs, undefined, { signal })
  }
}

/** Whether a port accepts connections, now or within five seconds. */
export function isListening(url: URL, signal: AbortSignal): Promise<boolean> {
  return askUntil(() => canConnect(url), Boolean, { limitMs: 5_000, signal })
}

async function canConnect({ protocol, hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const usualPort = protocol === 'https:' ? 443 : 80
  const socket = connect({ host, port: port === '' ? usualPort : Number(port) })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(2_000) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
