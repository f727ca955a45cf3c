import type { MadeAttempt } from '@feed-receiver/sandbox'
import stringWidth from 'string-width'
import type { Context } from '../command.ts'
import { readOwnAnswer } from '../conformance/traps/find-trap.ts'
import { describeDelay, fixOfAttempt } from '../describe-attempt.ts'
import { fitLine, oneLine } from '../output/format-table.ts'
import type { Tone } from '../output/output.ts'
import { present } from '../output/words.ts'

/** A line for the terminal, with the tone that colours it. */
interface TintedLine {
  tone: Tone
  text: string
}

const outcomeWidth = 22
const typeWidth = 20

/** Whether an attempt paused the feed. A late answer to an earlier state of the feed does not. */
export function isPause({ result, cause }: Pick<MadeAttempt, 'result' | 'cause'>): boolean {
  return result === 'pause' && cause !== 'late_rejection'
}

/**
 * Prints the result of an attempt. If it paused the feed, also prints why, what to change, and how
 * the feed resumes.
 */
export function printAttempt(
  made: MadeAttempt,
  { out }: Pick<Context, 'out'>,
  toResume: string,
): void {
  const { kind, result, body: _, ...rest } = made
  // Tests are repeated. The code that waits for one reports its result.
  if (kind === 'test') return
  const { tone, text } = attemptLine(made, out.columns)
  out.tinted(tone, text, { type: 'attempt', kind, result, ...rest })
  if (!isPause(made)) return
  const reason = readOwnAnswer(made.responseBody ?? '')?.error ?? ''
  for (const line of [reason, fixOfAttempt(made), toResume]) {
    if (line !== '') out.tinted('bad', `          ${line}`)
  }
}

/** One attempt of a delivery as a line, cut to the width of the terminal. */
export function attemptLine(made: MadeAttempt, columns?: number): TintedLine {
  const { result, status, errorCode, cause, durationMs, nextDelayMs, fault } = made
  const { type, title } = readEvent(made.body)
  const tones = { accepted: 'good', pause: 'bad', retry: 'warn', interrupted: 'warn' } as const
  const isShown = cause === 'rendered'
  const silence = isShown ? 'shown on the page' : 'no answer'
  const how = isPause(made) ? 'PAUSED' : `in ${durationMs} ms`
  const outcome = status === null ? silence : `${status} ${how}`
  const detail = present(
    status === null && !isShown && (errorCode ?? cause),
    fault !== null && `fault: ${fault}`,
    result === 'pause' && !isPause(made) && 'too late to pause the feed',
    nextDelayMs !== null && `again in ${describeDelay(nextDelayMs)}`,
    title !== '' && title,
  ).join(', ')
  return toLine({ tone: tones[result], sign: '→', outcome, type, detail }, columns)
}

/** The run of a handler, or the end of an entry. */
export interface HandlerRun {
  eventId: string
  type: string
  title: string
  state: 'done' | 'skipped' | 'dead' | 'failed'
  /** The duration of the last run, if known. */
  durationMs: number | null
  /** The error of the last failed run. */
  error: string | null
  attempt: number
  /** When a failing event is handled again. */
  nextAttemptAt: string | null
}

/** Prints the result of an event's handler. */
export function printRun(
  { eventId, type, ...run }: HandlerRun,
  { out }: Pick<Context, 'out'>,
): void {
  const { title, state, durationMs, error, attempt, nextAttemptAt } = run
  const took = durationMs === null ? '' : ` in ${durationMs} ms`
  const waitMs = nextAttemptAt === null ? 0 : Date.parse(nextAttemptAt) - Date.now()
  const again = waitMs > 0 ? `again in ${describeDelay(waitMs)}, ` : ''
  const outcomes = {
    done: { tone: 'good', sign: '✓', outcome: `handled${took}`, detail: title },
    skipped: { tone: 'plain', sign: '·', outcome: 'skipped, no handler', detail: title },
    failed: {
      tone: 'warn',
      sign: '!',
      outcome: `failing, attempt ${attempt}`,
      detail: again + (error ?? title),
    },
    dead: { tone: 'bad', sign: '✗', outcome: 'dead, no more retries', detail: error ?? title },
  } as const
  const { tone, text } = toLine({ type, ...outcomes[state] }, out.columns)
  out.tinted(tone, text, { type: 'run', eventId, eventType: type, ...run })
}

function toLine(
  parts: { tone: Tone; sign: string; outcome: string; type: string; detail: string },
  columns = Infinity,
): TintedLine {
  const { tone, sign, outcome, type, detail } = parts
  const time = new Date().toTimeString().slice(0, 8)
  const head = `${time}  ${sign} ${outcome.padEnd(outcomeWidth)} ${type.padEnd(typeWidth)} `
  const room = Math.max(columns - stringWidth(head), 20)
  return { tone, text: head + fitLine(oneLine(detail), room, '…') }
}

function readEvent(body: string): { type: string; title: string } {
  const { type, data }: { type?: unknown; data?: { title?: unknown; summary?: unknown } } =
    JSON.parse(body)
  const [title = ''] = [data?.title, data?.summary].filter((one) => typeof one === 'string')
  return { type: typeof type === 'string' ? type : 'message', title }
}
