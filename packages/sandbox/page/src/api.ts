import { ApiError, createApi, given, type Values } from '@feed-receiver/page-kit'
import type { ActionAnswer, ActionInput, ActionName } from '../../src/control/actions.ts'
import { addressOf } from '../../src/control/address.ts'

const { get, post } = createApi()

export async function call<Name extends ActionName>(
  name: Name,
  input: ActionInput<Name>,
): Promise<ActionAnswer<Name>> {
  const { method, path } = addressOf(name)
  const query = Object.fromEntries(Object.entries(input))
  const answering = method === 'GET' ? get(path, query) : post(path, input)
  const answer = await answering.catch((error: unknown) => {
    // A restarted sandbox has another session, and its page says how to get it.
    if (error instanceof ApiError && error.code === 'unauthorized') location.reload()
    throw error
  })
  return (await answer.json()).data
}

/**
 * Calls an action with the values of a form, whose texts are trimmed and left out if they are empty,
 * and with other members as they are.
 */
export async function submit<Name extends ActionName>(
  name: Name,
  values: Values,
  others: object = {},
): Promise<ActionAnswer<Name>> {
  const texts = Object.entries(values).map(([member, value]) => [member, given(value)])
  const input = { ...Object.fromEntries(texts), ...others }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server checks it
  return await call(name, input as ActionInput<Name>)
}

/** Finds one thing; an empty list if it does not exist. */
export async function find<Name extends ActionName>(
  name: Name,
  input: ActionInput<Name>,
): Promise<ActionAnswer<Name>[]> {
  return await call(name, input).then(
    (found) => [found],
    (error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_found') return []
      throw error
    },
  )
}
