import type { Part } from '../part.ts'
import { conformancePart } from './conformance.ts'
import { diskPart } from './disk.ts'
import { failoverPart } from './failover.ts'
import { faultsPart } from './faults.ts'
import { contendersPart } from './contenders.ts'
import { soakPart } from './soak.ts'
import { speedPart } from './speed.ts'

/** The chapters of a report, in their order. */
export const parts: readonly Part[] = [
  contendersPart,
  faultsPart,
  failoverPart,
  diskPart,
  conformancePart,
  speedPart,
  soakPart,
]
