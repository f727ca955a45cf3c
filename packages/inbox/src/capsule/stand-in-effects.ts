import type { EffectContext, Effects } from '../handle/effects.ts'
import { indexHandlers, type Handlers } from '../handle/handlers.ts'

/** Stand-ins for effects, by key. Each returns the result of its effect, or throws. */
export type StandIns = Readonly<Record<string, (context: EffectContext) => unknown>>

/**
 * Gives handlers effects that do nothing outside. An effect returns its stored result, or else the
 * result of its stand-in. `notRun` gets the keys that have neither. Errors: `bad_handler`.
 */
export function withStandIns<AppTx>(
  handlers: Handlers<AppTx>,
  standIns: StandIns,
  notRun: Set<string>,
): Handlers<AppTx> {
  const findHandler = indexHandlers(handlers)
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
  return {
    '*': (event, context) =>
      findHandler(event.type)?.(event, { ...context, effects: standIn(context.effects) }),
  }
}
