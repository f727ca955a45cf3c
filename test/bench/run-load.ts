import type { LoadPlan, LoadResult } from './load.ts'
import { startProcess } from './start-process.ts'

/** Puts load on a server from a process of its own; throws where a new event is not accepted. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const { nextLine } = startProcess('load.ts', [JSON.stringify(plan)])
  const result = JSON.parse(await nextLine()) as LoadResult
  const unexpected = Object.keys(result.statuses).filter((status) => status !== '202')
  if (unexpected.length === 0) return result
  throw new Error(`The server answered ${unexpected.join(', ')} to new events.`)
}
