import type { CheckGroup } from './check.ts'
import { clockChecks } from './clock-checks.ts'
import { duplicateChecks } from './duplicate-checks.ts'
import { eventChecks } from './event-checks.ts'
import { forgeryChecks } from './forgery-checks.ts'
import { gateChecks } from './gate-checks.ts'
import { oddBodyChecks } from './odd-body-checks.ts'
import { rawBodyChecks } from './raw-body-checks.ts'
import { restartChecks } from './restart-checks.ts'
import { rotationChecks } from './rotation-checks.ts'
import { signatureChecks } from './signature-checks.ts'
import { storedChecks } from './stored-checks.ts'
import { transportChecks } from './transport-checks.ts'

/** Every check, in the order of the report. */
export const checks: readonly CheckGroup[] = [
  gateChecks,
  rawBodyChecks,
  clockChecks,
  eventChecks,
  transportChecks,
  forgeryChecks,
  signatureChecks,
  oddBodyChecks,
  duplicateChecks,
  storedChecks,
  rotationChecks,
  restartChecks,
]
