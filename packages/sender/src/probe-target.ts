import type { Socket } from 'node:net'
import type { TargetRules } from './check-address.ts'
import { checkTarget } from './check-target.ts'
import { createConnector } from './create-connector.ts'
import { describeFailure, type Failure } from './failure.ts'
import { DeadlineError } from './post.ts'
import type { Lookup } from './resolve-target.ts'

export interface ProbeOptions extends TargetRules {
  /**
   * Finds the addresses of the host; every one of them is checked.
   * @default the system's
   */
  lookup?: Lookup | undefined
  /**
   * For the look-up of the name, TCP and TLS together (R180).
   * @default 10_000
   */
  deadlineMs?: number | undefined
}

/**
 * Says whether a target can be reached: it is connected to, with TLS where it is https, and nothing is
 * sent (R180).
 *
 * @returns null, or what went wrong on the way.
 * @throws SenderError where the URL itself is refused, as `checkTarget` does.
 */
export async function probeTarget(
  to: string | URL,
  { allowLocal, lookup, deadlineMs = 10_000 }: ProbeOptions = {},
): Promise<Failure | null> {
  const { protocol, host, hostname, port } = checkTarget(to, { allowLocal })
  const connect = createConnector({ allowLocal, lookup, timeoutMs: deadlineMs + 1000 })
  const target = { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port }
  return new Promise((resolve) => {
    const deadline = setTimeout(() => {
      resolve(describeFailure(new DeadlineError(`No connection came within ${deadlineMs} ms.`)))
    }, deadlineMs)
    connect(target, (error: Error | null, socket: Socket | null) => {
      clearTimeout(deadline)
      socket?.destroy()
      resolve(error ? describeFailure(error) : null)
    })
  })
}
