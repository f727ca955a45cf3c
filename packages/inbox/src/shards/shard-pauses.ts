import { knownTypes } from '@feed-receiver/core'
import { codeOf, problem } from '../errors.ts'
import type { PauseOptions, PauseRow, Resumed, ResumeOptions } from '../admin/pauses.ts'
import { askAll, askNumbered, type Shard, type Shards } from './ask-shards.ts'
import { groupBy } from './sum-counts.ts'

/** The pauses of all shards, as one inbox. */
export function createShardPauses<AppTx>(shards: Shards<AppTx>) {
  return { pause, resume, list }

  async function list(): Promise<PauseRow[]> {
    return union(await askAll(shards, ({ inbox }) => inbox.pauses()))
  }

  /**
   * Pauses all shards or none: if one fails, those before it are resumed. Existing pauses of a
   * shard stay, so that a pause in force on only some shards can be completed.
   */
  async function pause(options: PauseOptions): Promise<PauseRow[]> {
    const { types, by } = options
    const force = options.force === true || (await areStored(types ?? []))
    const before = await paused()
    const isEverywhere = (type: string | null) => before.every((here) => here.has(type))
    const wanted: readonly (string | null)[] = types ?? [null]
    // The first shard validates the options and finds existing pauses.
    const isDue = !wanted.some(isEverywhere)
    const done: { shard: Shard<AppTx>; missing: ResumeOptions }[] = []
    for (const shard of shards.all) {
      const missing = isDue ? missingIn(before[shard.index], types) : { types }
      if (!missing) continue
      try {
        await askNumbered(shards, shard.index, ({ inbox }) =>
          inbox.pause({ ...options, ...missing, force }),
        )
        done.push({ shard, missing })
      } catch (error) {
        await undo(done, by, shard.index, error)
        throw error
      }
    }
    const rows = await list()
    return rows.filter(({ type }) => wanted.includes(type))
  }

  /** Ends the pauses of every shard that has them. Errors: `not_paused` if none has. */
  async function resume(options: ResumeOptions = {}): Promise<Resumed> {
    const { types, by } = options
    const before = await paused()
    const wanted: readonly (string | null)[] = types ?? [null]
    const isPaused = wanted.every((type) => before.some((here) => here.has(type)))
    const resumed: PauseRow[][] = []
    const done: number[] = []
    for (const { index } of shards.all) {
      const here = before[index] ?? new Set<string | null>()
      const own = isPaused ? wanted.filter((type) => here.has(type)) : wanted
      if (own.length === 0) continue
      try {
        const ending = { types: types && own.filter(isNamed), by }
        const result = await askNumbered(shards, index, ({ inbox }) => inbox.resume(ending))
        resumed.push(result?.resumed ?? [])
        done.push(index)
      } catch (error) {
        if (done.length === 0) throw error
        throw partly('Resumed', done, index, error)
      }
    }
    return { resumed: union(resumed), stillPaused: await list() }
  }

  async function undo(
    done: readonly { shard: Shard<AppTx>; missing: ResumeOptions }[],
    by: string | undefined,
    failed: number,
    error: unknown,
  ): Promise<void> {
    const undone = await Promise.allSettled(
      done.map(({ shard, missing }) => shard.inbox.resume({ ...missing, by })),
    )
    const left = done.filter((_, index) => undone[index]?.status === 'rejected')
    if (left.length === 0) return
    const indexes = left.map(({ shard }) => shard.index)
    throw partly('Paused', indexes, failed, error)
  }

  function partly(what: string, shardsDone: readonly number[], index: number, error: unknown) {
    const count = shards.all.length
    const done = shardsDone.map((shard) => shard + 1).join(', ')
    const failed = index + 1
    const code = codeOf(error) ?? String(error)
    return problem('shards_partly', { what, done, failed, count, code }, { cause: error })
  }

  /** The pauses of each shard; null stands for the whole inbox. */
  async function paused(): Promise<Set<string | null>[]> {
    const rows = await askAll(shards, ({ inbox }) => inbox.pauses())
    return rows.map((here) => new Set(here.map(({ type }) => type)))
  }

  /** Whether each undocumented type was stored in some shard, as one inbox checks for itself. */
  async function areStored(types: readonly string[]): Promise<boolean> {
    const documented = new Set<string>(knownTypes)
    const unknown = types.filter((type) => !documented.has(type))
    if (unknown.length === 0) return false
    const counts = await Promise.all(
      unknown.map((type) =>
        askAll(shards, ({ inbox }) => inbox.entries.count({ type }, { upTo: 1 })),
      ),
    )
    return counts.every((ofShards) => ofShards.some(({ count }) => count > 0))
  }
}

function missingIn(
  here: ReadonlySet<string | null> = new Set(),
  types: readonly string[] | undefined,
): ResumeOptions | undefined {
  if (types === undefined) return here.has(null) ? undefined : {}
  const missing = types.filter((type) => !here.has(type))
  return missing.length === 0 ? undefined : { types: missing }
}

function isNamed(type: string | null): type is string {
  return type !== null
}

/** One row for each type, with the earliest time on any shard. */
function union(ofShards: readonly PauseRow[][]): PauseRow[] {
  const earliest = (rows: PauseRow[]) =>
    rows.toSorted((one, other) => one.since.localeCompare(other.since))[0] ?? []
  const rows = groupBy(ofShards.flat(), ({ type }) => type ?? '').flatMap(earliest)
  return rows.toSorted((one, other) => ((one.type ?? '') < (other.type ?? '') ? -1 : 1))
}
