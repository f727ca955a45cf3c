import type { MadeAttempt } from '@feed-receiver/sandbox'
import type { Context } from '../command.ts'
import { fixOfAttempt } from '../describe-attempt.ts'
import { readOwnAnswer } from '../conformance/traps/find-trap.ts'
import { attemptLine, isPause } from './lines.ts'

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
