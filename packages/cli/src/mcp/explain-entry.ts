import { z } from 'zod'
import texts from './explanations.json' with { type: 'json' }
import { fill } from '../texts.ts'

const shownEntry = z.object({
  state: z.enum(['received', 'done', 'skipped', 'dead']),
  isFailing: z.boolean(),
  revision: z.number(),
  isReprocessed: z.boolean(),
  event: z.unknown(),
  job: z
    .object({
      state: z.enum(['waiting', 'retrying', 'running', 'completed', 'cancelled', 'failed']),
      attempts: z.number(),
      maxAttempts: z.number(),
      nextAttemptAt: z.string().nullable(),
    })
    .nullable(),
})

/** Explains an entry and the next step, without any text of a third party. */
export function explainEntry(shown: unknown): string[] {
  const { state, isFailing, job, revision, isReprocessed, event } = shownEntry.parse(shown)
  const values = {
    attempts: job?.attempts ?? 0,
    maxAttempts: job?.maxAttempts ?? 0,
    nextAttemptAt: job?.nextAttemptAt ?? 'soon',
    revision,
  }
  const says: string[] = [texts.states[state]]
  if (state === 'received') says.push(job ? texts.jobs[job.state] : texts.noJob)
  if (state === 'dead' && job) says.push(texts.gaveUp)
  if (revision > 1) says.push(texts.revised)
  if (isReprocessed) says.push(texts.reprocessed)
  if (event === null || event === undefined) says.push(texts.emptied)
  says.push(texts.next[isFailing ? 'failing' : state])
  return says.map((text) => fill(text, values))
}
