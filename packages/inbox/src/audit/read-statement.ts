import { codeOf } from '../errors.ts'
import type { InboxStore } from '../context.ts'
import { createSealing } from '../seal/seal-days.ts'
import { auditDays, type AuditedDays } from './audit-days.ts'
import type { AuditPeriod } from './period.ts'
import { readRecords, type AuditRecords } from './read-around.ts'
import { listSignatures, type AuditSignature } from './signatures.ts'

/** The statement of one inbox, or of one shard. */
export interface AuditStatement extends AuditedDays, AuditRecords {
  /** Whether every day of the period is sealed. The head of an open day may still change. */
  isSealed: boolean
  /** Whether the role of this process may not write, so that days stay unsealed. */
  isReadOnly: boolean
  /** Earlier signatures of this month. */
  signatures: AuditSignature[]
}

/** How long to wait for transactions that keep days from being sealed. */
const sealWaitMs = 5_000
const noRight = ['42501', '25006']

/** Seals the days that have ended, and reads the statement of a period. */
export async function readStatement(
  context: InboxStore,
  period: AuditPeriod,
): Promise<AuditStatement> {
  const isReadOnly = await sealOrSkip(context)
  const audited = await auditDays(context, period)
  const isSealed = !period.isPartial && audited.days.every(({ sealed }) => sealed !== null)
  return {
    ...audited,
    ...(await readRecords(context, period)),
    isSealed,
    isReadOnly,
    signatures: await listSignatures(context, period.month),
  }
}

/** Returns whether the role may not write. */
async function sealOrSkip(context: InboxStore): Promise<boolean> {
  try {
    await createSealing(context)({ waitMs: sealWaitMs })
    return false
  } catch (error) {
    if (!noRight.includes(codeOf(error) ?? '')) throw error
    return true
  }
}
