import json from './checks.json' with { type: 'json' }
import type { Sent } from './target.ts'
import type { Expectation, Run } from './verdict.ts'

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const table = { ...json }

/** A check as `checks.json` has it: its texts, of which many share an advice, and what is sent. */
export interface Row extends Partial<Record<Expectation, Sent>> {
  title: string
  why?: string
  fix?: string
  advice?: string
  /** Why it is sent in this form, for whoever changes it. */
  note?: string
}

/**
 * `gate`: in turn, and if one fails, the others say nothing. `together`: side by side. `in_turn`:
 * alone, so that a receiver that crashes has crashed in this check.
 */
export type Pace = keyof typeof table.checks

/** The names stay the same from version to version. */
type CheckName = NamesIn<(typeof table.checks)[Pace]>
type NamesIn<Groups> = Groups extends unknown
  ? { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups]
  : never

/** What some of the checks do, under no other names than those of the rows. */
export type Runs = Partial<Record<CheckName, Run>>

const advices: Record<string, { why: string; fix: string }> = table.advice
const { gate, together, in_turn } = table.checks

/** Every row in the order of the report. */
export const rows = [
  ...atPace('gate', gate),
  ...atPace('together', together),
  ...atPace('in_turn', in_turn),
]

function atPace(pace: Pace, groups: Record<string, Record<string, Row>>) {
  return Object.entries(groups).flatMap(([group, members]) =>
    Object.entries(members).map(([name, row]) => {
      const { title, why = '', fix = '', advice = '' } = row
      return { pace, row, text: { name, group, title, ...(advices[advice] ?? { why, fix }) } }
    }),
  )
}
