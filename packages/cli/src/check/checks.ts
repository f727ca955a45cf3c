import { eventChecks, oddBodyChecks, rawBodyChecks } from './body-checks.ts'
import type { Check, Checks, Pace } from './check.ts'
import { restartChecks } from './restart-checks.ts'
import { clockChecks, forgeryChecks, headerChecks, rotationChecks } from './signature-checks.ts'
import { duplicateChecks, storedChecks } from './stored-checks.ts'
import { gateChecks, transportChecks } from './transport-checks.ts'

export interface PlacedCheck {
  name: string
  group: string
  pace: Pace
  check: Check
}

/** Every check, in the order of the report. */
export const checks: readonly PlacedCheck[] = [
  ...inGroup('Reaching it', 'gate', gateChecks),
  ...inGroup('Raw bytes', 'together', rawBodyChecks),
  ...inGroup('Clock', 'together', clockChecks),
  ...inGroup('Events to come', 'together', eventChecks),
  ...inGroup('HTTP', 'together', transportChecks),
  ...inGroup('Forgeries', 'in_turn', forgeryChecks),
  ...inGroup('Signature header', 'in_turn', headerChecks),
  ...inGroup('Odd bodies', 'in_turn', oddBodyChecks),
  ...inGroup('Duplicates', 'in_turn', duplicateChecks),
  ...inGroup('Stored', 'in_turn', storedChecks),
  ...inGroup('Rotation', 'in_turn', rotationChecks),
  ...inGroup('Restart', 'in_turn', restartChecks),
]

function inGroup(group: string, pace: Pace, members: Checks): PlacedCheck[] {
  return Object.entries(members).map(([name, check]) => ({ name, group, pace, check }))
}
