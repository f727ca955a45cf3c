import { reasons, type Meaning, type Reason } from '../../../packages/core/src/reasons.ts'
import { code, page, plain, table } from './markdown.ts'

/** The receiver's own table: each reason, its status and what the service does next. */
export function renderAnswers(): string {
  const rows = Object.entries(reasons).map(rowOf)
  const details = Object.entries(reasons).flatMap(([reason, { error, fix = '' }]) =>
    error === undefined ? [] : [[code(reason), plain(error), plain(fix)]],
  )
  return page(
    'HTTP answers',
    'Every status that the receiver answers on its route, with the reason and what the service does next.',
    'An authentic, fresh, uncompressed delivery within the size limit gets only 2xx, 429 or 503. ' +
      'The reason is the `code` of a rejection, or the `status` or `code` of an accepted delivery. ' +
      'The option `statuses` of `createReceiver` changes a status, within that promise.',
    table(['reason', 'status', 'the service', 'connection'], rows),
    '## Rejections',
    'The text of the answer, and what to do about it.',
    table(['reason', 'answer', 'what to do'], details),
  )
}

const next = { accepted: 'goes on', retry: 'retries', pause: 'pauses the feed' } satisfies Record<
  Meaning['sender'],
  string
>

function rowOf([reason, { status, sender, closes }]: [string, Meaning]): string[] {
  const answer = reason === ('client_gone' satisfies Reason) ? 'none' : String(status)
  return [code(reason), answer, next[sender], closes ? 'closes' : 'stays open']
}
