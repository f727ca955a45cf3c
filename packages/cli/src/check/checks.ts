import { bodyChecks } from './bodies.ts'
import { headerChecks } from './headers.ts'
import { procedures } from './procedures.ts'
import { restartChecks } from './restart.ts'
import { listed, type CheckName } from './texts.ts'
import type { Run } from './verdict.ts'

// A text without anything to do does not compile here.
const named: Record<CheckName, Run> = {
  ...bodyChecks,
  ...headerChecks,
  ...procedures,
  ...restartChecks,
}
const runs = new Map<string, Run>(Object.entries(named))

/** Every check, in the order of the report. */
export const checks = listed.flatMap((check) => {
  const run = runs.get(check.text.name)
  return run ? [{ ...check, run }] : []
})
