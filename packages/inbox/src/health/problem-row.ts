import { fill } from '../errors.ts'

/** The values that a text names in braces, so that the compiler knows them. */
type ValuesOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, string | number> & ValuesOf<Rest>
  : unknown

interface Finding {
  /** The type, secret or stream it is about; '' if it is about the whole inbox. */
  subject: string
  message: string
  fix: string
}

interface ProblemRow<Seen, Setting extends string, Text extends string, Fix extends string> {
  /**
   * A problem makes `ok` false. A warning may need a person.
   * @default 'warning'
   */
  severity?: 'problem' | 'warning'
  /** What is wrong, with `{names}` as placeholders for values. */
  message: Text
  /**
   * What to do next, with placeholders.
   * @default '' the message says it
   */
  fix?: Fix
  /** Whether it counts only if an app asks for it. */
  isOptional?: boolean
  /** The defaults of its settings. */
  settings?: Record<Setting, number>
  /**
   * The cases of this problem, or one, or none, with the values of its texts. A case may have its own
   * message or fix.
   */
  detect(
    seen: Seen,
    settings: Record<Setting, number>,
  ): Found<Text, Fix> | readonly Found<Text, Fix>[] | false | undefined
}

type Found<Text extends string, Fix extends string> = Partial<Finding> &
  (ValuesOf<Text> & ValuesOf<Fix>)

export function problem<
  Seen,
  const Text extends string,
  const Fix extends string = '',
  Setting extends string = never,
>(row: ProblemRow<Seen, Setting, Text, Fix>) {
  const { severity = 'warning', message, isOptional = false, detect } = row
  const fix = row.fix ?? ''
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a row without settings reads none
  const settings = (row.settings ?? {}) as Record<Setting, number>
  return {
    severity,
    message,
    fix: fill(fix),
    isOptional,
    settings,
    // Without a named type, which declarations of the table would have to import.
    find: (seen: Seen, given: Readonly<Record<string, number>> = {}) =>
      [detect(seen, { ...settings, ...given }) || []].flat().map((found) => {
        const values = { subject: '', ...found }
        return {
          subject: values.subject,
          message: found.message ?? fill(message, values),
          fix: found.fix ?? fill(fix, values),
        }
      }),
  }
}
