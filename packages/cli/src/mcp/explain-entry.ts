import type { EntryDetails, EntryJobRow } from '@feed-receiver/inbox'

/** Explains an entry and the next step, without any text of a third party. */
export function explainEntry(entry: EntryDetails): string[] {
  const { state, isFailing, job, revision, isReprocessed, event } = entry
  const says = [states[state]]
  if (state === 'received') says.push(explainJob(job))
  if (state === 'dead' && job) {
    says.push(
      `Its handling failed permanently after ${job.attempts} of at most ${job.maxAttempts} attempts. job.lastError has the last error.`,
    )
  }
  if (revision > 1) says.push(`The feed corrected it: this is revision ${revision}.`)
  if (isReprocessed) says.push('Its latest handling is a reprocessing.')
  if (event === null)
    says.push('Its content is no longer stored, so it can be neither retried nor reprocessed.')
  return [...says, isFailing ? failing : next[state]]
}

const states = {
  received: 'It is stored, but its handling is not finished.',
  done: 'Its handler succeeded.',
  skipped: 'It was skipped, because no handler wanted it.',
  dead: 'It is dead: its last attempt failed, and it is not retried automatically.',
}

function explainJob(job: EntryJobRow | null): string {
  if (!job) return 'The queue has no job for it.'
  const { state, attempts, maxAttempts, nextAttemptAt } = job
  const jobs = {
    waiting: `It waits for a worker, after ${attempts} attempts.`,
    retrying: `Attempt ${attempts} of ${maxAttempts} failed. The next one is due at ${nextAttemptAt ?? 'soon'}.`,
    running: `A handler is processing it, in attempt ${attempts} of ${maxAttempts}.`,
    completed: 'Its job is completed, and the result is about to be stored.',
    cancelled: 'Its job was cancelled.',
    failed: `Its job failed after ${attempts} attempts.`,
  }
  return jobs[state]
}

const failing = 'Fix the error in job.lastError. To retry it now, run: feed-receiver inbox retry.'
const next = {
  received:
    'If it stays pending, look for a pause in feed_inbox_pauses, and for a missing worker in feed_inbox_health.',
  done: 'There is nothing to do. If its handler had a bug, fix it and reprocess the event: feed-receiver inbox reprocess.',
  skipped: 'To handle it, add a handler for its type, and retry it: feed-receiver inbox retry.',
  dead: 'Fix the error in job.lastError, deploy, and retry it: feed-receiver inbox retry.',
}
