import { numeral } from '../output/say-count.ts'
import type { CheckResult } from './verdict.ts'
import json from './wrong-receivers.json' with { type: 'json' }

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const wrongReceivers = [...json]

/** A known mistake: a receiver that makes it fails a check, or gets a warning. */
export interface KnownMistake {
  name: string
  mistake: string
  /** The checks that find it. */
  checks: string[]
}

/** How much the checks that ran can find: a run without options finds less than a full one. */
export interface Strength {
  /** The share of the known mistakes that this run looked for. 100 only for all of them. */
  percent: number
  /** How many known mistakes this run would have found. */
  found: number
  known: number
  /** The known mistakes that no check of this run looks for. */
  missed: KnownMistake[]
}

/** Every known mistake, as found by real runs of all checks against receivers that make it. */
const mistakes: readonly KnownMistake[] = wrongReceivers.map(
  ({ name, mistake, failed, warnings }) => ({ name, mistake, checks: [...failed, ...warnings] }),
)

/** Counts the known mistakes that the checks which ran would have found. */
export function strengthOf(results: readonly Pick<CheckResult, 'name' | 'outcome'>[]): Strength {
  const ran = new Set(
    results.filter(({ outcome }) => outcome !== 'not_run').map(({ name }) => name),
  )
  const missed = mistakes.filter(({ checks }) => !checks.some((name) => ran.has(name)))
  const known = mistakes.length
  const found = known - missed.length
  return { percent: Math.floor((100 * found) / known), found, known, missed }
}

const maxNames = 8

/** Says in words what the strength means, and which checks the run lacks for full strength. */
export function describeStrength({ found, known, missed }: Strength): string[] {
  const says = `This run would have found ${numeral(found)} of ${numeral(known)} known mistakes.`
  const names = [...new Set(missed.flatMap(({ checks }) => checks))]
  if (names.length === 0) return [says]
  const rest = names.length - maxNames
  const more = rest > 0 ? ` and ${rest} more` : ''
  return [says, `It did not run: ${names.slice(0, maxNames).join(', ')}${more}.`]
}
