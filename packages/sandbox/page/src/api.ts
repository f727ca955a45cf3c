import { ApiError, createApi } from '@feed-receiver/page-kit'
import type { ActionAnswer, ActionInput, ActionName } from '../../src/control/actions.ts'
import { addressOf } from '../../src/control/address.ts'
import type { DescribedAction } from '../../src/control/describe-actions.ts'

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

let described: Promise<DescribedAction[]> | undefined

/** The table of actions, which does not change while the page is shown. */
export async function readActions(): Promise<DescribedAction[]> {
  described ??= get('actions').then(async (answer) => (await answer.json()).data)
  return await described.catch((error: unknown) => {
    described = undefined
    throw error
  })
}
