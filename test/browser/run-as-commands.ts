import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { toFetch, type Receiver } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import { serve } from './console-page.ts'

/** Runs copied commands in a shell, against a receiver, and gives what they print. */
export async function runAsCommands(
  commands: string,
  { receiver, secret }: { receiver: Receiver; secret: string },
): Promise<string> {
  const handle = toNodeHandler(toFetch(receiver))
  const url = await serve((request, response) => void handle(request, response), '/webhooks/feed')
  const filled = commands
    .replace("'<your signing secret>'", `'${secret}'`)
    .replace("'https://<your app>/webhooks/feed'", `'${url}'`)
  const { stdout } = await promisify(execFile)('sh', ['-c', filled])
  return stdout
}
