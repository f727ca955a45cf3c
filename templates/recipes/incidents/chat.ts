import { stateOf, summaryOf, type Incident, type State, type Step } from './incident.ts'
import { createSlack } from './slack.ts'
import { createWebhook } from './webhook.ts'

/** Where threads are posted. A failure throws, so that the inbox tries again. */
export interface Chat {
  /** Posts a message, in a thread unless `threadId` is null, and returns the id of the message. */
  post(message: Message, options: SendOptions & { threadId: string | null }): Promise<string>
  /** Replaces the text of a message. */
  edit(messageId: string, message: Message, options: SendOptions): Promise<void>
}

export interface SendOptions {
  /** The same for each attempt to send this message. */
  idempotencyKey: string
  signal: AbortSignal
}

/** Third parties write `title` and `text`: escape them. */
export interface Message {
  state: State | 'update'
  incidentId: string
  provider: string
  title: string
  text: string | null
  /** When the outage began, or for a reply when its event was observed; in ISO 8601, in UTC. */
  observedAt: string
  sourceUrl: string
}

/** The first message of a thread, which always shows the current state. */
export function threadMessage(incident: Incident): Message {
  const { state, first, latest } = summaryOf(incident)
  return { ...replyMessage(incident, first), state, text: latest.summary }
}

export function replyMessage({ id: incidentId, provider }: Incident, step: Step): Message {
  const { title, summary: text, observedAt, sourceUrl } = step
  const state = stateOf(step) === 'open' ? 'update' : stateOf(step)
  return { state, incidentId, provider, title, text, observedAt, sourceUrl }
}

/** Slack or a webhook, whichever is configured. Otherwise messages are only printed. */
export function chatFromEnv(env: Readonly<Record<string, string | undefined>>): Chat {
  const { SLACK_BOT_TOKEN: token, SLACK_CHANNEL: channel, INCIDENT_WEBHOOK_URL: url } = env
  if (token && channel) return createSlack({ token, channel })
  return url ? createWebhook(url) : printed
}

const printed: Chat = {
  async post(message, { idempotencyKey }) {
    print(message)
    return idempotencyKey
  },
  edit: async (_, message) => print(message),
}

function print({ state, provider, title, sourceUrl }: Message): void {
  console.log(`Incident, ${state}: ${provider}: ${title} (${sourceUrl})`)
}
