import { classify } from '@feed-receiver/sender'
import { STATUS_CODES } from 'node:http'
import { requestLimitMs, type Answer } from './send-request.ts'

/** One answer in words, with what the service makes of it. */
export function describeAnswer(answer: Answer): string {
  if (answer.status === null) return describeSilence(answer.error)
  const { status, code, durationMs } = answer
  const phrase = [status, STATUS_CODES[status], code && `(${code})`].filter(Boolean).join(' ')
  const { result, cause } = classify(status)
  if (result === 'accepted') return `${phrase} in ${durationMs} ms`
  if (result === 'pause') return `${phrase}, which pauses the feed`
  if (cause === 'redirect') return `${phrase}, which the service does not follow`
  return `${phrase}, which has the service send it again`
}

/** Several answers in words, counted by status. */
export function describeAnswers(answers: readonly Answer[]): string {
  const [only] = answers
  if (only && answers.length === 1) return describeAnswer(only)
  const counts = new Map<string, number>()
  for (const answer of answers) {
    const what = answer.status === null ? describeSilence(answer.error) : String(answer.status)
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return [...counts].map(([what, count]) => `${count} × ${what}`).join(', ')
}

function describeSilence(error: string): string {
  if (error === 'timeout') return `no answer within ${requestLimitMs / 1_000} s`
  return `no answer, but ${error}`
}
