import { Agent, request } from 'undici'
import { checkTarget } from './check-target.ts'
import { classify } from './classify.ts'
import { createConnector } from './create-connector.ts'
import type { ProbeOptions } from './probe-target.ts'

/**
 * Finds out whether a target redirects (R179), which no delivery would follow. That takes a request, so
 * it gets a HEAD: no event, no signature and no body.
 *
 * @returns the status of the redirect, or null for any other answer and for none.
 * @throws SenderError where the URL itself is refused, as `checkTarget` does.
 */
export async function findRedirect(
  to: string | URL,
  { allowLocal, lookup, deadlineMs = 10_000 }: ProbeOptions = {},
): Promise<number | null> {
  const target = checkTarget(to, { allowLocal })
  const connect = createConnector({ allowLocal, lookup, timeoutMs: deadlineMs + 1000 })
  const dispatcher = new Agent({ connect })
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
