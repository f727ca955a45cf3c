import type { EffectContext, Effects } from '../handle/effects.ts'
import type { Handler, Handlers } from '../handle/handlers.ts'

/** What stands in for effects by their keys: gives what they would give, or throws. */
export type StandIns = Readonly<Record<string, (context: EffectContext) => unknown>>

/**
 * Gives handlers effects that do nothing outside: the ledger answers those that it knows, and
 * `standIns` the others. `notRun` gets the keys that neither of them has.
 */
export function withStandIns<AppTx>(
  handlers: Handlers<AppTx>,
  standIns: StandIns,
  notRun: Set<string>,
): Handlers<AppTx> {
  const standIn = ({ once }: Effects): Effects => ({
    once: <Result>(key: string) =>
      once(key, async (context) => {
        const answer = Object.hasOwn(standIns, key) ? standIns[key] : undefined
        if (!answer) notRun.add(key)
        const given = await answer?.(context)
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the effect does not run
        return given as Result
      }),
  })
  const wrap = (handler: Handler<AppTx>): Handler<AppTx> => {
    // Whether it is a function is for the inbox to check.
    if (typeof handler !== 'function') return handler
    return (event, context) => handler(event, { ...context, effects: standIn(context.effects) })
  }
  const wrapped = Object.entries(handlers).map(([type, handler]) => [
    type,
    handler && wrap(handler),
  ])
  return Object.fromEntries(wrapped)
}
