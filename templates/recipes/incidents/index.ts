import type { Database } from '@feed-receiver/database'
import type { Handler, HandlerContext, Handlers } from '@feed-receiver/inbox'
import { chatFromEnv, replyMessage, threadMessage, type Chat, type SendOptions } from './chat.ts'
import { stepOf, type Incident, type Phase, type Step } from './incident.ts'
import { saveStep, saveThread, tables } from './store.ts'

export interface IncidentsOptions {
  database: Database
  /** By default Slack or a webhook, as the environment says. */
  chat?: Chat
  /**
   * Posts unconfirmed outages, too. They are marked, and a provider is never down because of them.
   *
   * @default false
   */
  postEarlySignals?: boolean
}

/** Posts one thread for each incident. Needs an inbox with `ordered: 'subject'`. */
export async function createIncidents({
  database,
  chat = chatFromEnv(process.env),
  postEarlySignals = false,
}: IncidentsOptions): Promise<Handlers> {
  await database.migrate(tables, { schema: 'incidents' })
  return {
    outage_started: handleAs('started'),
    outage_updated: handleAs('updated'),
    outage_resolved: handleAs('resolved'),
  }

  function handleAs(phase: Phase): Handler {
    return async (event, context) => {
      const step = stepOf(event, phase)
      step.hasMessage = !step.isRetracted && (step.isConfirmed || postEarlySignals)
      // Committed before the post, because a provider is down whether the chat works or not. Outside
      // of `tx`, because no effect may run after its first statement.
      const incident = await database.outside(() => database.tx((tx) => saveStep(tx, event, step)))
      if (!incident || !step.hasMessage) return
      await saveThread(context.tx, incident, await show(incident, step, context))
    }
  }

  /**
   * Each event has one message, which a correction edits. The first one begins the thread, and
   * always shows the current state. Returns the id of the thread.
   */
  async function show(
    incident: Incident,
    step: Step,
    { effects, revision, signal }: HandlerContext,
  ): Promise<string> {
    const { thread } = incident
    const once = <Result>(key: string, send: (options: SendOptions) => Promise<Result>) =>
      effects.once(key, ({ idempotencyKey }) => send({ idempotencyKey, signal }))
    const messageIn = (threadId: string | null) =>
      threadId === null ? threadMessage(incident) : replyMessage(incident, step)
    const own = await once('post', async (options) => {
      const id = await chat.post(messageIn(thread), { ...options, threadId: thread })
      return { id, thread, revision }
    })
    if (revision > own.revision) {
      await once(`edit/${revision}`, (options) => chat.edit(own.id, messageIn(own.thread), options))
    }
    if (thread === null || own.thread === null) return own.id
    await once(`thread/${revision}`, (options) => chat.edit(thread, messageIn(null), options))
    return thread
  }
}

/** Whether a provider has a confirmed open incident, such as to fail over to another one. */
export async function isDown(
  database: Pick<Database, 'query'>,
  provider: string,
): Promise<boolean> {
  const { rows } = await database.query(
    `select from incidents.incident where provider = $1 and state = 'open' limit 1`,
    [provider],
  )
  return rows.length > 0
}
