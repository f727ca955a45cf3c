import type { z } from 'zod'
import type { Action } from './action.ts'
import { eventActions } from './event-actions.ts'
import { serviceActions } from './service-actions.ts'
import { webhookActions } from './webhook-actions.ts'
import json from './actions.json' with { type: 'json' }

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const texts = { ...json }

/** All actions of a sandbox, by the names of the functions of `sandbox.control`. */
export const actions = {
  ...serviceActions,
  ...eventActions,
  ...webhookActions,
} satisfies Record<keyof typeof texts, Action>

export type ActionName = keyof typeof actions

export const actionNames = Object.keys(actions).filter(
  (name): name is ActionName => name in actions,
)

/** Describes each action in one sentence. */
export const descriptions: Record<ActionName, string> = texts

export type ActionInput<Name extends ActionName> = z.input<(typeof actions)[Name]['input']>

export type ActionResult<Name extends ActionName> =
  (typeof actions)[Name] extends Action<z.ZodType, infer Result> ? Result : never

/** The member `data` of the route's response: the result as JSON, or null if there is none. */
export type ActionAnswer<Name extends ActionName> =
  ActionResult<Name> extends void ? null : AsJson<Exclude<ActionResult<Name>, undefined>>

type AsJson<Value> = Value extends Date
  ? string
  : Value extends object
    ? { [Name in keyof Value]: AsJson<Value[Name]> }
    : Value
