import texts from './checks.json' with { type: 'json' }
import type { Run } from './verdict.ts'

/** What a check is about, why it matters and how to mend it; many share an advice. */
interface Text {
  title: string
  why?: string
  fix?: string
  advice?: string
}

/**
 * `gate`: in turn, and if one fails, the others say nothing. `together`: side by side. `in_turn`:
 * alone, so that a receiver that crashes has crashed in this check.
 */
export type Pace = keyof typeof texts.checks

/** The names stay the same from version to version. */
export type CheckName = NamesIn<(typeof texts.checks)[Pace]>
type NamesIn<Groups> = Groups extends unknown
  ? { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups]
  : never

/** What a check does, for some of them: no other names than those with a text. */
export type Runs = Partial<Record<CheckName, Run>>

const advices: Record<string, { why: string; fix: string }> = texts.advice
const { gate, together, in_turn } = texts.checks

/** Every check in the order of the report, but for what it does. */
export const listed = [
  ...atPace('gate', gate),
  ...atPace('together', together),
  ...atPace('in_turn', in_turn),
]

function atPace(pace: Pace, groups: Record<string, Record<string, Text>>) {
  return Object.entries(groups).flatMap(([group, members]) =>
    Object.entries(members).map(([name, { title, why = '', fix = '', advice = '' }]) => {
      return { pace, text: { name, group, title, ...(advices[advice] ?? { why, fix }) } }
    }),
  )
}
