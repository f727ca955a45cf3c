import type { RequestListener } from 'node:http'
import type { ConsoleOptions } from '@feed-receiver/console'
import { toNodeHandler } from '@feed-receiver/core/node'
import { CliError } from '../errors.ts'
import type { Output } from '../output.ts'

/** Makes the console as a listener of `node:http`; its package is loaded only now. */
export async function mountConsole(
  options: Pick<ConsoleOptions, 'inbox' | 'token' | 'readOnly'>,
  out: Output,
): Promise<RequestListener> {
  const { ConsoleError, createConsole } = await import('@feed-receiver/console')
  try {
    const handle = toNodeHandler(createConsole({ ...options, onError: warn }))
    return (request, response) => {
      handle(request, response).catch((error: unknown) => {
        warn(error)
        if (!response.headersSent) response.writeHead(500)
        response.end()
      })
    }
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error
    throw new CliError('usage', error.message, { cause: error })
  }

  function warn(error: unknown): void {
    out.note(`warning: ${error instanceof Error ? error.message : 'unknown'}`)
  }
}
