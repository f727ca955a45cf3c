import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  runChecks,
  type CheckReport,
  type RunChecksOptions,
} from '../../../packages/cli/src/check/run-checks.ts'
import { eventStore } from './event-store.ts'
import { path } from './make-receiver.ts'
import type { ReceiverOptions } from './right-steps.ts'

export const secrets = [
  'feed_whsec_of_the_conformance_run',
  'feed_whsec_of_the_conformance_run_to_come',
] as const

/** Runs every check against a receiver on loopback, with a restart and a count of its events. */
export async function checkReceiver(
  make: (options: ReceiverOptions) => Server | Promise<Server>,
  options: Partial<RunChecksOptions> = {},
): Promise<CheckReport> {
  const store = eventStore()
  let server = await listen(await make({ secrets, store }), 0)
  const { port } = server.address() as AddressInfo
  try {
    return await checkUrl(`http://127.0.0.1:${port}${path}`, {
      storedCount: store.count,
      async restart() {
        await close(server)
        server = await listen(await make({ secrets, store }), port)
      },
      ...options,
    })
  } finally {
    await close(server)
  }
}

/** Runs the checks with the secrets of these tests. */
export function checkUrl(
  url: string,
  options: Partial<RunChecksOptions> = {},
): Promise<CheckReport> {
  return runChecks({ url, secret: secrets[0], secondSecret: secrets[1], ...options })
}

/** The names of the checks with this outcome. */
export function namesOf({ results }: CheckReport, outcome: string): string[] {
  return results.filter((result) => result.outcome === outcome).map(({ name }) => name)
}

export async function listen(server: Server, port: number): Promise<Server> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

export async function close(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
