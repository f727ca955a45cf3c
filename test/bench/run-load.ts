import type { LoadPlan, LoadResult } from './load.ts'
import { startProcess } from './start-process.ts'

/** Puts load on a server from a process of its own; throws for an answer that is not the expected one. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const { nextLine } = startProcess('load.ts', [JSON.stringify(plan)])
  const result = JSON.parse(await nextLine()) as LoadResult
  const expected = plan.raw ? '200' : '202'
  const unexpected = Object.keys(result.statuses).filter((status) => status !== expected)
  if (unexpected.length === 0) return result
  throw new Error(`The server answered ${unexpected.join(', ')}.`)
}
