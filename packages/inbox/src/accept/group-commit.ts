import { isItemsFault } from './items-fault.ts'

/** Commits a group; gives one result for each item, in the order of the items. */
export type CommitGroup<Item, Result> = (items: readonly Item[]) => Promise<Result[]>

export interface GroupCommit<Item, Result> {
  /** Resolves once the item's own rows are committed; rejects where they could not be. */
  add(item: Item): Promise<Result>
  /** Resolves once nothing is waiting any more. */
  settle(): Promise<void>
}

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export interface GroupCommitOptions<Item> {
  maxGroupSize: number
  /** An item that is larger by itself is a group of its own. */
  maxGroupBytes: number
  bytesOf: (item: Item) => number
  /** How many groups may be on their way at once: while one commits, the next one is made. */
  maxGroups: number
}

/**
 * Lets concurrent items share a commit. A lone item does not wait for company: a group is made
 * of what has come while those before were being committed. A group that fails over what one of its
 * items holds is done again one by one, so that a bad item cannot fail its neighbours.
 */
export function createGroupCommit<Item, Result>(
  commit: CommitGroup<Item, Result>,
  { maxGroupSize, maxGroupBytes, bytesOf, maxGroups }: GroupCommitOptions<Item>,
): GroupCommit<Item, Result> {
  const waiting: Waiting<Item, Result>[] = []
  const committing = new Set<Promise<void>>()
  let loops = 0
  let underWay = 0

  function add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (loops === maxGroups) return
      const run = commitAll().finally(() => committing.delete(run))
      committing.add(run)
    })
  }

  async function commitAll(): Promise<void> {
    loops += 1
    while (waiting.length > 0) {
      const group = takeGroup()
      underWay += group.length
      await commitOne(group)
      underWay -= group.length
    }
    // At once, and not when the promise is settled: who is added in between would wake nobody.
    loops -= 1
  }

  // No more than a fair share of all that is on its way: of a large group and a small one, most would
  // wait for the large one while the database is half idle.
  function takeGroup(): Waiting<Item, Result>[] {
    const share = Math.ceil((waiting.length + underWay) / maxGroups)
    const most = Math.min(share, maxGroupSize)
    let bytes = 0
    const end = waiting.findIndex(({ item }, index) => {
      bytes += bytesOf(item)
      return index > 0 && (index === most || bytes > maxGroupBytes)
    })
    return waiting.splice(0, end < 0 ? waiting.length : end)
  }

  async function commitOne(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await commit(group.map(({ item }) => item))
      results.forEach((result, index) => group[index]?.resolve(result))
    } catch (error) {
      if (group.length > 1 && isItemsFault(error)) {
        for (const one of group) await commitOne([one])
        return
      }
      for (const { reject } of group) reject(error)
    }
  }

  return { add, settle: async () => void (await Promise.all(committing)) }
}
