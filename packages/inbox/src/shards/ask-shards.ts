import type { Inbox } from '../create-inbox.ts'
import { codeOf, InboxError, problem } from '../errors.ts'
import type { Place } from '../queue/queue.ts'
import type { ShardChoice } from './choose-shard.ts'

/** One of several inboxes. */
export interface Shard<AppTx = never> {
  index: number
  inbox: Inbox<AppTx>
  /** Waits while it is being opened; rejects where it cannot be. */
  whenOpen: () => Promise<void>
  place: () => Promise<Place>
}

/** The inboxes under one roof. */
export interface Shards<AppTx = never> {
  all: readonly Shard<AppTx>[]
  choice: ShardChoice
  isOrdered: boolean
}

/**
 * Asks all shards at once, and gives their answers in their order. One that does not answer fails the
 * whole, because half an answer would look like a whole one. Errors: `shard_failed`.
 */
export async function askAll<AppTx, Answer>(
  { all }: Shards<AppTx>,
  ask: (shard: Shard<AppTx>) => Promise<Answer>,
): Promise<Answer[]> {
  const asked = await Promise.allSettled(all.map((shard) => askOne(shard, all.length, ask)))
  return asked.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  })
}

/**
 * The same for what only informs: a shard that does not answer is left out, as the health says, unless
 * none does.
 */
export async function askSome<AppTx, Answer>(
  { all }: Shards<AppTx>,
  ask: (shard: Shard<AppTx>) => Promise<Answer>,
): Promise<Answer[]> {
  const asked = await Promise.allSettled(all.map((shard) => askOne(shard, all.length, ask)))
  const failed = asked.filter((answer) => answer.status === 'rejected')
  const mistake = failed.find(({ reason }) => codeOf(reason) !== 'shard_failed')
  if (mistake || failed.length === all.length) throw mistake?.reason ?? failed[0]?.reason
  return asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
}

/** The same as `askAll`, one after the other. */
export async function askInTurn<AppTx, Answer>(
  { all }: Shards<AppTx>,
  ask: (shard: Shard<AppTx>) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const shard of all) answers.push(await askOne(shard, all.length, ask))
  return answers
}

/** Asks one shard by its number; undefined where there is no such shard. */
export async function askNumbered<AppTx, Answer>(
  { all }: Shards<AppTx>,
  index: number,
  ask: (shard: Shard<AppTx>) => Promise<Answer>,
): Promise<Answer | undefined> {
  const shard = all[index]
  return shard && (await askOne(shard, all.length, ask))
}

async function askOne<AppTx, Answer>(
  shard: Shard<AppTx>,
  count: number,
  ask: (shard: Shard<AppTx>) => Promise<Answer>,
): Promise<Answer> {
  try {
    await shard.whenOpen()
    return await ask(shard)
  } catch (error) {
    // What an inbox says of itself says it all.
    if (error instanceof InboxError) throw error
    const code = codeOf(error) ?? String(error)
    throw problem('shard_failed', { shard: shard.index + 1, count, code }, { cause: error })
  }
}

/** What is said of one shard of several: people count from 1. */
export function sayOfShard(message: string, index: number, count: number): string {
  return `Shard ${index + 1} of ${count}: ${message}`
}
