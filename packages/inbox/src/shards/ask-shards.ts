import type { Inbox } from '../inbox.ts'
import { codeOf, InboxError, problem } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import type { ShardChoice } from './choose-shard.ts'

/** One shard of an inbox. */
export interface Shard<AppTx = never> {
  index: number
  inbox: Inbox<AppTx>
  /** Waits while it is being opened; rejects if that fails. */
  whenOpen: () => Promise<void>
  context: () => Promise<InboxContext>
}

/** All shards of an inbox. */
export interface Shards<AppTx = never> {
  all: readonly Shard<AppTx>[]
  choice: ShardChoice
  isOrdered: boolean
}

/**
 * Queries all shards concurrently, and returns their answers in their order. If one fails, the
 * whole query fails, because a partial answer would look complete. Errors: `shard_failed`.
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
 * Like `askAll`, for informational queries: it leaves out a shard that does not answer, as the
 * health reports, unless none does.
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

/** Like `askAll`, one after the other. */
export async function askInTurn<AppTx, Answer>(
  { all }: Shards<AppTx>,
  ask: (shard: Shard<AppTx>) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const shard of all) answers.push(await askOne(shard, all.length, ask))
  return answers
}

/** Queries one shard by its number; undefined if there is no such shard. */
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
    // An error of an inbox already says everything.
    if (error instanceof InboxError) throw error
    const code = codeOf(error) ?? String(error)
    throw problem('shard_failed', { shard: shard.index + 1, count, code }, { cause: error })
  }
}

/** Adds the shard to a message. People count from 1. */
export function sayOfShard(message: string, index: number, count: number): string {
  return `Shard ${index + 1} of ${count}: ${message}`
}
