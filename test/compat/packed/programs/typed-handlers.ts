import { createInbox, findHandler, type Handler, type Handlers } from '@feed-receiver/inbox'

const inbox = createInbox()

const outageStarted: Handler<unknown, 'outage_started'> = ({ type }): 'outage_started' => type

export const handlers = {
  outage_started: outageStarted,
  model_release: ({ type }, { tx }) => {
    const release: 'model_release' = type
    return tx.query(release)
  },
  futureTypes: { model_renamed: ({ id }, { tx, attempt }) => tx.query(id, [attempt]) },
} satisfies Handlers

export async function work(): Promise<void> {
  await inbox.work(handlers, {
    onFailed: ({ nextAttemptAt }) => nextAttemptAt.getTime(),
    // @ts-expect-error a dead entry has no next attempt
    onDead: ({ nextAttemptAt }) => nextAttemptAt,
  })
  // @ts-expect-error a letter is missing
  await inbox.drain({ outage_startd: () => {} })
}

export const found: Handler | undefined = findHandler(handlers, 'model_renamed')
