import { z } from 'zod'
import { forwardTo, type Forward, type ForwardedTo } from '../webhooks/deliveries/forward.ts'
import { createKey, insertKey } from '../accounts/api-keys.ts'
import { checkStrict, runAction, type Action } from '../server/action.ts'
import type { Context } from '../server/context.ts'
import { parseInput } from '../server/rejections.ts'
import { rejectSecret } from '../webhooks/destinations/create-destination.ts'
import { actions, type ActionInput, type ActionName, type ActionResult } from './actions.ts'

/**
 * The actions of a sandbox: a function for each. They validate their input as the routes do, but
 * ignore additional members, so that `deleteDestination(destination)` works. Those whose input has
 * several forms, such as `moveClock` and `changeEvent`, reject additional members.
 *
 * @throws Rejection `bad_parameter` for the input, `not_found` for something that it names, and
 * `conflict` for an action that is not possible now or in a strict sandbox.
 */
export interface Control extends ActionFunctions {
  /**
   * Creates an API key at the first call for this account and name. Later calls return the same key,
   * also in later processes, until it is revoked. Its text is stored encrypted, in a strict sandbox,
   * too. No route has this.
   */
  createKeyOnce(key: ActionInput<'createKey'>): Promise<ActionResult<'createKey'>>
  /** Delivers the feed to an app on this machine; see `Forward`. */
  forwardTo(forward: Forward): Promise<ForwardedTo>
}

type ActionFunctions = {
  [Name in ActionName]: (
    ...input: {} extends ActionInput<Name> ? [input?: ActionInput<Name>] : [ActionInput<Name>]
  ) => Promise<ActionResult<Name>>
}

export function createControl(context: Context): Control {
  const functions = Object.entries<Action>(actions).map(([name, row]) => {
    const input = row.input instanceof z.ZodObject ? row.input.strip() : row.input
    return [name, (given: unknown) => runAction({ ...row, input }, context, given ?? {})]
  })
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each has the types of its row
    ...(Object.fromEntries(functions) as ActionFunctions),
    async createKeyOnce(given) {
      const key = parseInput(createKey.input.strip(), given)
      return await insertKey(context.database, key, context.vault)
    },
    async forwardTo(forward) {
      checkStrict(context, rejectSecret(forward.secret))
      return await forwardTo(context, forward)
    },
  }
}
