import type { AttemptRecord, Outcome } from '@feed-receiver/sender'
import advice from './advice.json' with { type: 'json' }
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

/** The advice for a delivery that failed; undefined if it succeeded. */
export function adviseOn({ result, attempts }: Outcome): string | undefined {
  const last = attempts.at(-1)
  return result === 'delivered' || !last ? undefined : adviseOnAttempt(last)
}

/**
 * The advice for an attempt that was not accepted. It blames the secret only if the receiver itself
 * answered.
 */
export function adviseOnAttempt({ status, cause, responseBody }: FailedAttempt): string {
  const own = readOwnAnswer(responseBody ?? '')
  const advised = own && byCode.get(own.code)
  return advised ?? byStatus.get(String(status)) ?? byCause.get(cause) ?? ''
}

interface FailedAttempt {
  status: number | null
  cause: string
  responseBody?: string | null | undefined
}

const byStatus = new Map(Object.entries(advice.byStatus))
const causes: Record<AttemptRecord['cause'], string> = advice.byCause
const byCause = new Map(Object.entries(causes))
const byCode = new Map(Object.entries(advice.byCode))
