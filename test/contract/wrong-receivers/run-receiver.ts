import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  runChecks,
  runEach,
  scoreOf,
  type CheckReport,
  type RunChecksOptions,
} from '../../../packages/cli/src/conformance/check/run-checks.ts'
import { createTarget } from '../../../packages/cli/src/conformance/check/target.ts'
import { eventStore } from './event-store.ts'
import { path } from './make-receiver.ts'
import type { ReceiverOptions } from './right-steps.ts'

export const secrets = [
  'feed_whsec_of_the_conformance_run',
  'feed_whsec_of_the_conformance_run_to_come',
] as const

type Make = (options: ReceiverOptions) => Server | Promise<Server>

/** What a run of only some checks reports. */
export type Findings = Pick<CheckReport, 'results' | 'score' | 'hasPassed'>

/** Runs every check against a receiver on loopback, with a restart and a count of its events. */
export function checkReceiver(
  make: Make,
  options: Partial<RunChecksOptions> = {},
): Promise<CheckReport> {
  return withServed(make, (url, served) => checkUrl(url, { ...served, ...options }))
}

/** Like `checkReceiver`, with only the checks of these names, and those that begin every run. */
export function checkReceiverWith(
  only: ReadonlySet<string>,
  make: Make,
  options: Partial<RunChecksOptions> = {},
): Promise<Findings> {
  const [secret, secondSecret] = secrets
  return withServed(make, async (url, served) => {
    const ending = new AbortController()
    const { signal } = ending
    const all = { secret, secondSecret, ...served, ...options, url: new URL(url), signal }
    const run = { deadlineMs: 180_000, onResult: () => undefined, only }
    const results = await runEach(createTarget(all), run).finally(() => ending.abort())
    const score = scoreOf(results)
    return { results, score, hasPassed: score.failed + score.blocked === 0 }
  })
}

async function withServed<Result>(
  make: Make,
  run: (url: string, served: Partial<RunChecksOptions>) => Promise<Result>,
): Promise<Result> {
  const store = eventStore()
  let server = await listen(await make({ secrets, store }), 0)
  const { port } = server.address() as AddressInfo
  try {
    return await run(`http://127.0.0.1:${port}${path}`, {
      storedCount: store.count,
      async restart() {
        await close(server)
        server = await listen(await make({ secrets, store }), port)
      },
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
export function namesOf({ results }: Pick<CheckReport, 'results'>, outcome: string): string[] {
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
