import { reasons, type Meaning } from '@feed-receiver/core'
import type { AttemptRecord, Outcome } from '@feed-receiver/sender'
import fixes from './fixes.json' with { type: 'json' }
import { readOwnAnswer } from './traps/find-trap.ts'

/** One attempt as a line, without its number. */
export function describeAttempt(record: AttemptRecord): string {
  const { status, cause, error, durationMs, responseBody, nextDelayMs } = record
  const answer = status === null ? `no answer (${error?.code ?? cause})` : `${status} ${cause}`
  const next = nextDelayMs === undefined ? [] : [`next in ${describeDelay(nextDelayMs)}`]
  const body =
    responseBody === undefined ? [] : [responseBody.replaceAll(/\s+/g, ' ').slice(0, 200)]
  return [answer, `${durationMs} ms`, ...next, ...body].join('  ')
}

/** A delay in a readable unit: 30 s, 8 min. */
export function describeDelay(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`
  return `${Math.round(ms / 6000) / 10} min`
}

/** How to fix what made a delivery fail; undefined if it succeeded. */
export function fixOf({ result, attempts }: Outcome): string | undefined {
  const last = attempts.at(-1)
  return result === 'delivered' || !last ? undefined : fixOfAttempt(last)
}

/**
 * How to fix what made an attempt fail. It blames the secret only if the receiver itself answered.
 */
export function fixOfAttempt({ status, cause, responseBody }: FailedAttempt): string {
  const own = readOwnAnswer(responseBody ?? '')
  return (own && fixOfReason(own.code)) ?? byStatus.get(String(status)) ?? byCause.get(cause) ?? ''
}

interface FailedAttempt {
  status: number | null
  cause: string
  responseBody?: string | null | undefined
}

/** Undefined for a code of another program, or of a newer receiver. */
function fixOfReason(code: string): string | undefined {
  const meanings: Readonly<Record<string, Meaning>> = reasons
  const fix = Object.hasOwn(meanings, code) ? meanings[code]?.fix : undefined
  return code === 'signature_mismatch' ? `${reasons.signature_mismatch.fix} ${explaining}` : fix
}

const explaining = '`feed-receiver explain` finds the cause for a captured delivery.'
const byStatus = new Map(Object.entries(fixes.byStatus))
const causes: Record<AttemptRecord['cause'], string> = fixes.byCause
const byCause = new Map(Object.entries(causes))
