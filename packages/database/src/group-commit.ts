/**
 * Commits a group of items and resolves with one result for each, in the order of the items. Groups
 * that run at once and lock the same rows must lock them in the same order to avoid deadlocks.
 */
export type CommitGroup<Item, Result> = (items: readonly Item[], key: string) => Promise<Result[]>

export interface GroupCommit<Item, Result> {
  /** Resolves once the item is committed; rejects with the error of its group. */
  add(item: Item): Promise<Result>
  /** Resolves once no item is pending. */
  drain(): Promise<void>
}

export interface GroupCommitOptions<Item> {
  /** @default Infinity */
  maxGroupSize?: number
  /** The limit for all items of a group; a larger item gets its own group. @default Infinity */
  maxGroupBytes?: number
  /** The size of an item, for `maxGroupBytes`. @default 0 */
  bytesOf?: (item: Item) => number
  /** How many groups of a key may commit at once; above 1 they end in any order. @default 1 */
  maxGroups?: number
  /**
   * Items with different keys never share a group or wait for each other.
   * @default one key for all
   */
  keyOf?: (item: Item) => string
  /**
   * Whether one of the items caused the group's error. The items are then committed one by one, so
   * that only the bad item fails. Any other error rejects the whole group.
   * @default never
   */
  isItemsFault?: (error: unknown) => boolean
}

/**
 * Lets concurrent items share a commit. A lone item commits at once. Items that are added while a
 * commit runs form the next group, so there is no timer to wait for.
 */
export function createGroupCommit<Item, Result>(
  commit: CommitGroup<Item, Result>,
  {
    maxGroupSize = Infinity,
    maxGroupBytes = Infinity,
    bytesOf = () => 0,
    maxGroups = 1,
    keyOf = () => '',
    isItemsFault = () => false,
  }: GroupCommitOptions<Item> = {},
): GroupCommit<Item, Result> {
  const lines = new Map<string, Line<Item, Result>>()
  const committing = new Set<Promise<void>>()

  function add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const line = lineOf(keyOf(item))
      line.waiting.push({ item, resolve, reject })
      if (line.loops === maxGroups) return
      const run = commitAll(line).finally(() => committing.delete(run))
      committing.add(run)
    })
  }

  function lineOf(key: string): Line<Item, Result> {
    const line = lines.get(key) ?? { key, waiting: [], loops: 0, inFlight: 0 }
    lines.set(key, line)
    return line
  }

  async function commitAll(line: Line<Item, Result>): Promise<void> {
    line.loops += 1
    while (line.waiting.length > 0) {
      const group = takeGroup(line)
      line.inFlight += group.length
      await commitOne(group, line.key)
      line.inFlight -= group.length
    }
    // Here and not in a `finally` of the promise: an item added in between would start no loop.
    line.loops -= 1
    if (line.loops === 0) lines.delete(line.key)
  }

  // At most a fair share: with one large and one small group, most items would wait for the large
  // one while the database is half idle.
  function takeGroup({ waiting, inFlight }: Line<Item, Result>): Waiting<Item, Result>[] {
    const share = Math.ceil((waiting.length + inFlight) / maxGroups)
    const most = Math.min(share, maxGroupSize)
    let bytes = 0
    const end = waiting.findIndex(({ item }, index) => {
      bytes += bytesOf(item)
      return index > 0 && (index === most || bytes > maxGroupBytes)
    })
    return waiting.splice(0, end < 0 ? waiting.length : end)
  }

  async function commitOne(group: Waiting<Item, Result>[], key: string): Promise<void> {
    try {
      const items = group.map(({ item }) => item)
      const results = await commit(items, key)
      results.forEach((result, index) => group[index]?.resolve(result))
    } catch (error) {
      if (group.length > 1 && isItemsFault(error)) {
        for (const one of group) await commitOne([one], key)
        return
      }
      for (const { reject } of group) reject(error)
    }
  }

  return { add, drain: async () => void (await Promise.all(committing)) }
}

/** One line per key: its items wait here until a group takes them. */
interface Line<Item, Result> {
  key: string
  waiting: Waiting<Item, Result>[]
  /** How many loops take groups from this line. */
  loops: number
  /** Items in the groups that are committing. */
  inFlight: number
}

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}
