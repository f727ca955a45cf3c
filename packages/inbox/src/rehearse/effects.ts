import type { FeedEvent } from '@feed-receiver/core'
import { problem } from '../errors.ts'
import type { Effects } from '../handle/effects.ts'

/** Returns a stand-in for the result of an effect that is not run. */
export type EffectResult = (key: string, event: FeedEvent) => unknown

/** The effects that the handler of one event requested, by key, and the source of each result. */
export type AskedEffects = Map<string, 'ledger' | 'stand_in' | 'nowhere'>

interface Ledger {
  event: FeedEvent
  /** The stored results, as JSON, by key. */
  outcomes: ReadonlyMap<string, string>
  effectResult: EffectResult | undefined
  isBegun: () => boolean
}

/** Creates the effects of one event. They return stored results, and never run. */
export function rehearseEffects({ event, outcomes, effectResult, isBegun }: Ledger) {
  const asked: AskedEffects = new Map()
  const effects: Effects = {
    async once<Result>(key: string): Promise<Result> {
      // As in a real run.
      if (isBegun()) throw problem('effect_inside_tx', { key })
      const outcome = outcomes.get(key)
      if (outcome !== undefined) {
        asked.set(key, 'ledger')
        const kept: { result: Result } = JSON.parse(outcome)
        return kept.result
      }
      asked.set(key, effectResult ? 'stand_in' : 'nowhere')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is none, and the report says so
      return (await effectResult?.(key, event)) as Result
    },
  }
  return { effects, asked }
}
