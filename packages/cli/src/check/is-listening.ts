import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const limitMs = 5_000

/** Whether a port takes connections, at once or within five seconds. */
export async function isListening(url: URL, signal: AbortSignal): Promise<boolean> {
  const givenUpAt = performance.now() + limitMs
  for (;;) {
    if (await canConnect(url)) return true
    if (performance.now() > givenUpAt) return false
    await delay(200, undefined, { signal })
  }
}

function canConnect({ protocol, hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const usualPort = protocol === 'https:' ? 443 : 80
  return new Promise((resolve) => {
    const socket = connect({ host, port: port === '' ? usualPort : Number(port), timeout: 2_000 })
    const finish = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => finish(true))
    socket.once('timeout', () => finish(false))
    socket.once('error', () => finish(false))
  })
}
