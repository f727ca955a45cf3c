import { readFileSync } from 'node:fs'

/** The sender's record of an attempt, before and after it. */
export type AttemptLine =
  | { kind: 'sent'; index: number }
  | { kind: 'answered'; index: number; status: number | null; outcome: string }

export function formatAttempt(line: AttemptLine): string {
  if (line.kind === 'sent') return `sent ${line.index}\n`
  return `answered ${line.index} ${line.status ?? 'none'} ${line.outcome}\n`
}

/** Reads the log of a sender. A kill may have cut off its last line. */
export function readAttempts(path: string): AttemptLine[] {
  return parseAttempts(readFileSync(path, { encoding: 'utf8', flag: 'a+' }))
}

export function parseAttempts(text: string): AttemptLine[] {
  const whole = text.split('\n').slice(0, -1)
  return whole.flatMap((line): AttemptLine[] => {
    const [kind, index, status, outcome = ''] = line.split(' ')
    if (kind === 'sent') return [{ kind, index: Number(index) }]
    if (kind !== 'answered') return []
    const answer = status === 'none' ? null : Number(status)
    return [{ kind, index: Number(index), status: answer, outcome }]
  })
}

export function isAcknowledged(line: AttemptLine): boolean {
  return line.kind === 'answered' && line.status !== null && Math.floor(line.status / 100) === 2
}
