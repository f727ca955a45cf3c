import { once } from 'node:events'
import { connect } from 'node:net'
import { askUntil } from './in-time.ts'

/** Whether a port takes connections, at once or within five seconds. */
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
