import type { Socket } from 'node:net'
import { Agent, request } from 'undici'
import { checkTarget } from './check-target.ts'
import { classify } from '../answer/classify.ts'
import { createConnector, type ConnectRules } from './create-connector.ts'
import { deadlineError, describeFailure, type Failure } from '../answer/failure.ts'

export interface ProbeOptions extends ConnectRules {
  /**
   * Time limit for DNS, TCP and TLS together, in milliseconds.
   * @default 10_000
   */
  deadlineMs?: number | undefined
}

/**
 * Checks whether a target is reachable: connects to it, with TLS if it is https, and sends nothing.
 *
 * @returns null, or the failure.
 * @throws SenderError if the URL itself is rejected, as `checkTarget` does.
 */
export async function probeTarget(
  to: string | URL,
  { deadlineMs = 10_000, ...rules }: ProbeOptions = {},
): Promise<Failure | null> {
  const { protocol, host, hostname, port } = checkTarget(to, rules)
  const connect = createConnector(rules, deadlineMs + 1000)
  const target = { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port }
  return new Promise((resolve) => {
    const deadline = setTimeout(() => {
      resolve(describeFailure(deadlineError('connection', deadlineMs)))
    }, deadlineMs)
    connect(target, (error: Error | null, socket: Socket | null) => {
      clearTimeout(deadline)
      socket?.destroy()
      resolve(error ? describeFailure(error) : null)
    })
  })
}

/**
 * Checks whether a target redirects, because no delivery follows a redirect. It sends a HEAD
 * request: no event, no signature and no body.
 *
 * @returns the status of the redirect, or null for any other answer and for none.
 * @throws SenderError if the URL itself is rejected, as `checkTarget` does.
 */
export async function findRedirect(
  to: string | URL,
  { deadlineMs = 10_000, ...rules }: ProbeOptions = {},
): Promise<number | null> {
  const target = checkTarget(to, rules)
  const dispatcher = new Agent({ connect: createConnector(rules, deadlineMs + 1000) })
  try {
    const signal = AbortSignal.timeout(deadlineMs)
    const { statusCode } = await request(target, { method: 'HEAD', dispatcher, signal })
    return classify(statusCode).cause === 'redirect' ? statusCode : null
  } catch {
    return null
  } finally {
    await dispatcher.destroy()
  }
}
