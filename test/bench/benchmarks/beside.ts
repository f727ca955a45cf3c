/**
 * This kit beside what people write or take instead: handwritten inserts with a queue, pg-boss in
 * transactions, BullMQ on Redis, the middleware of Octokit, and svix. Each contender is written as its
 * best user would, has servers of data of its own, and takes its turn in every round.
 */
import type { BenchOptions } from '../bench.ts'
import { compareAccepting } from '../beside/accept.ts'
import { compareFull } from '../beside/full.ts'
import { compareHandling } from '../beside/handle.ts'
import { compareMemory, compareStarts } from '../beside/process.ts'
import { compareReceiving } from '../beside/receive.ts'
import type { Part } from '../beside/contender-server.ts'
import type { Figure } from '../figure.ts'
import { measure as measureVerifying } from './verify.ts'

const parts: Record<string, (part: Part, entries: readonly number[]) => Promise<Figure[]>> = {
  verify: ({ say, isQuick }) => measureVerifying(say, [], { isQuick }),
  receive: compareReceiving,
  accept: compareAccepting,
  handle: compareHandling,
  memory: compareMemory,
  start: compareStarts,
  full: compareFull,
}

export async function measure(
  say: (line: string) => void,
  chosen: readonly string[],
  { isQuick, entries }: BenchOptions,
): Promise<Figure[]> {
  const all = Object.keys(parts)
  const unknown = chosen.find((name) => !all.includes(name))
  if (unknown !== undefined) throw new Error(`The parts are ${all.join(', ')}, not ${unknown}.`)
  const usual = all.filter((name) => !isQuick || name !== 'full')
  const figures: Figure[] = []
  for (const name of chosen.length > 0 ? chosen : usual) {
    const startedAt = performance.now()
    figures.push(...((await parts[name]?.({ say, isQuick }, entries)) ?? []))
    say(`${name}: took ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`)
  }
  return figures
}
