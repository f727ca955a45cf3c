import type { Effects } from '@feed-receiver/inbox'
import { effectInsideTx } from '@feed-receiver/inbox/internal'

/** The effects that a handler requested, by key, and the source of each result. */
export type AskedEffects = Map<string, 'ledger' | 'fake' | 'nowhere'>

/**
 * Creates the effects of one event, which never run. They return the known results by key, or those
 * of their fakes, which are then known.
 */
export function fakeEffects(
  results: Map<string, unknown>,
  isBegun: () => boolean,
  fakeOf: (key: string) => (() => unknown) | undefined = () => undefined,
) {
  const asked: AskedEffects = new Map()
  const effects: Effects = {
    async once<Result>(key: string): Promise<Result> {
      // As in a real run.
      if (isBegun()) throw effectInsideTx(key)
      if (results.has(key)) {
        if (!asked.has(key)) asked.set(key, 'ledger')
      } else {
        const fake = fakeOf(key)
        asked.set(key, fake ? 'fake' : 'nowhere')
        results.set(key, await fake?.())
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller knows the type of its effect
      return results.get(key) as Result
    },
  }
  return { effects, asked }
}
