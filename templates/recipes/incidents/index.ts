import type { Database } from '@feed-receiver/database'
import type { Effects, Handler, Handlers } from '@feed-receiver/inbox'
import { chatFromEnv, stepMessage, threadMessage, type Chat } from './chat.ts'
import { newIncident, stepOf, withStep, type Incident, type Step } from './incident.ts'
import { findIncident, saveIncident, tables } from './store.ts'

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

  const handle: Handler = async (event, { tx, effects, revision, signal }) => {
    // Outside of `tx`, because no effect may run after its first statement.
    const before = await database.outside(() => findIncident(database, event))
    const step = stepOf(event)
    const earlier = before?.steps.find(({ eventId }) => eventId === event.id)
    const incident = withStep(before ?? newIncident(event), step)
    if (isShown(step) || (earlier && isShown(earlier))) {
      incident.thread = await show(incident, step, { chat, effects, revision, signal })
    }
    await saveIncident(tx, incident, step)
  }
  return { outage_started: handle, outage_updated: handle, outage_resolved: handle }

  function isShown({ isConfirmed, isRetracted }: Step): boolean {
    return !isRetracted && (isConfirmed || postEarlySignals)
  }
}

interface ShowOptions {
  chat: Chat
  effects: Effects
  revision: number
  signal: AbortSignal
}

/** Each event has one message, which a correction edits. The first one shows the current state. */
async function show(
  incident: Incident,
  step: Step,
  { chat, effects, revision, signal }: ShowOptions,
): Promise<NonNullable<Incident['thread']>> {
  const { thread } = incident
  if (!thread || thread.eventId === step.eventId) {
    const id = await effects.once('thread', ({ idempotencyKey }) =>
      chat.post(threadMessage(incident), { idempotencyKey, signal }),
    )
    if (revision > 1) await editThread(id)
    return { id, eventId: step.eventId }
  }
  const message = stepMessage(incident, step)
  const replyId = await effects.once('reply', ({ idempotencyKey }) =>
    chat.post(message, { threadId: thread.id, idempotencyKey, signal }),
  )
  if (revision > 1) {
    await effects.once(`edit-reply/${revision}`, ({ idempotencyKey }) =>
      chat.edit(replyId, message, { idempotencyKey, signal }),
    )
  }
  await editThread(thread.id)
  return thread

  async function editThread(id: string): Promise<void> {
    await effects.once(`edit-thread/${revision}`, ({ idempotencyKey }) =>
      chat.edit(id, threadMessage(incident), { idempotencyKey, signal }),
    )
  }
}

/** Whether a provider has a confirmed open incident, such as to fail over to another one. */
export async function isDown(
  database: Pick<Database, 'query'>,
  provider: string,
): Promise<boolean> {
  const { rows } = await database.query<{ isDown: boolean }>(
    `select exists (
       select from incidents.incident where provider = $1 and state = 'open'
     ) as "isDown"`,
    [provider],
  )
  return rows[0]?.isDown === true
}
