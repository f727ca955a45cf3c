import { knownTypes } from '@feed-receiver/core/internal'
import type { Tx } from '@feed-receiver/database'
import { InboxError } from '../errors.ts'
import { withResolvers } from '../with-resolvers.ts'
import { indexHandlers, type Handler, type HandlerContext, type Handlers } from './handlers.ts'
import { around } from './transactions.ts'
import { warnOfTypes } from './warnings.ts'

/**
 * Combines several sets of handlers into one. The handlers of an event run one after the other, in
 * the order of the sets and in one transaction. Each of them may run its effects before its first
 * statement through `tx`, because the first statement of each waits until the effects of all have
 * ended. If one throws, the statements of all are rolled back, and all run again; effects that ran
 * stay recorded. A `Permanent` of one ends the event for all.
 *
 * The name of a set becomes part of the keys of its effects, so that two sets may use one key. If
 * you rename a set, retries repeat its effects. Errors: `bad_handler`.
 */
export function combineHandlers<AppTx = Tx>(
  sets: Readonly<Record<string, Handlers<AppTx>>>,
): Handlers<AppTx> {
  const named = Object.entries(sets).map(([name, handlers]) => {
    if (name !== '' && !name.includes('/')) return { name, find: indexHandlers(handlers) }
    const text = `'${name}' cannot name a set of handlers. Use a name without a slash.`
    throw new InboxError('bad_handler', text)
  })
  // The combined set does not say who declared an unknown type in `futureTypes`.
  for (const handlers of Object.values(sets)) warnOfTypes(handlers)
  const types = new Set(
    Object.values(sets).flatMap(({ futureTypes = {}, ...known }) => [
      ...Object.keys(known),
      ...Object.keys(futureTypes),
    ]),
  )
  const combined = [...types].map((type) => [type, handleAll] as const)
  const isKnown = ([type]: readonly [string, unknown]) => type === '*' || known.has(type)
  return {
    ...Object.fromEntries(combined.filter(isKnown)),
    futureTypes: Object.fromEntries(combined.filter((entry) => !isKnown(entry))),
  }

  async function handleAll(...[event, context]: Parameters<Handler<AppTx>>): Promise<void> {
    const runs = named.flatMap(({ name, find }) => {
      const handler = find(event.type)
      if (!handler) return []
      const { effects } = context
      const ofSet: HandlerContext<AppTx> = {
        ...context,
        effects: { once: (key, run) => effects.once(`${name}/${key}`, run) },
      }
      return [async (tx: AppTx) => void (await handler(event, { ...ofSet, tx }))]
    })
    await runInTurn(runs, context.tx)
  }
}

const known = new Set<string>(knownTypes)

type Run<AppTx> = (tx: AppTx) => Promise<void>

async function runInTurn<AppTx>(runs: readonly Run<AppTx>[], tx: AppTx): Promise<void> {
  // Effects are possible at any time in a transaction of the app, and a single handler waits for no
  // other.
  if (!isTx(tx) || runs.length === 1) {
    for (const run of runs) await run(tx)
    return
  }
  const started: Started[] = []
  try {
    for (const run of runs) {
      // As `tx` is a Tx, AppTx is that, too.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const one = start((own) => run(own as AppTx), tx)
      started.push(one)
      await one.waitsOrEnded
    }
    for (const one of started) {
      one.write()
      await one.ended
    }
  } catch (error) {
    for (const one of started) one.cancel(error)
    await Promise.allSettled(started.map(({ ended }) => ended))
    throw error
  }
}

interface Started {
  ended: Promise<void>
  /** Resolves when the handler waits with its first statement, or has ended. */
  waitsOrEnded: Promise<void>
  /** Lets its statements run. */
  write(): void
  cancel(error: unknown): void
}

/** Starts a handler whose statements wait until `write` is called. */
function start(run: Run<Tx>, tx: Tx): Started {
  const turn = withResolvers()
  // Nothing waits for it if the handler has no statement.
  turn.promise.catch(() => undefined)
  const waits = withResolvers()
  const own = around(tx, async (_, statement) => {
    waits.resolve()
    await turn.promise
    return await statement()
  })
  const ended = run(own)
  const waitsOrEnded = Promise.race([waits.promise, ended])
  return { ended, waitsOrEnded, write: turn.resolve, cancel: turn.reject }
}

function isTx(tx: unknown): tx is Tx {
  return typeof tx === 'object' && tx !== null && 'isBegun' in tx && 'executeSql' in tx
}
