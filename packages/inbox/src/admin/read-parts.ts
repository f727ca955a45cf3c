import { codeOf } from '../errors.ts'
import { explainFault, isOfTables } from '../sql-states.ts'
import type { WatchedContext } from './find-failing.ts'
import { problemIf, type HealthProblem } from './health-problems.ts'

/** The parts without which an inbox cannot work, and the problem if one cannot be read. */
const partProblems = { entries: 'tables_unreadable', queue: 'queue_down' } as const

/** Reads the parts of a health: a table that cannot be read hides only what it says. */
export function createParts(context: WatchedContext) {
  const unread: HealthProblem[] = []
  let firstCode: string | null = null
  return {
    unread,
    /** The code of the first part that could not be read, if the inbox cannot work without it. */
    error: () => firstCode,
    async read<Part>(
      what: string,
      read: (context: WatchedContext) => Promise<Part>,
    ): Promise<Part | null> {
      try {
        return await read(context)
      } catch (error) {
        if (!isOfTables(error)) throw error
        const code = isMain(what) ? partProblems[what] : 'side_unreadable'
        if (isMain(what)) firstCode ??= codeOf(error) ?? null
        unread.push(...problemIf(true, code, { what, ...explainFault(error, context) }))
        return null
      }
    },
  }
}

function isMain(what: string): what is keyof typeof partProblems {
  return Object.hasOwn(partProblems, what)
}
