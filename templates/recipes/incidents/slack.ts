import type { Chat, Message, SendOptions } from './chat.ts'
import { sendJson } from './send-json.ts'

export interface SlackOptions {
  /** Of a Slack app with the scope `chat:write`. */
  token: string
  /** The id of a channel that the app was added to, such as `C024BE91L`. */
  channel: string
  /** @default 'https://slack.com/api' */
  url?: string
}

/** Posts to a Slack channel with `chat.postMessage` and `chat.update`. */
export function createSlack({ token, channel, url = 'https://slack.com/api' }: SlackOptions): Chat {
  return {
    async post(message, { threadId, ...options }) {
      const thread = threadId === null ? {} : { thread_ts: threadId.split('/')[1] }
      const body = { channel, ...thread, text: render(message), ...withoutPreviews }
      const answer = await call('chat.postMessage', body, options)
      if (!answer.ok) throw rejected('chat.postMessage', answer)
      // The channel by its id, because chat.update takes no name.
      return `${answer.channel}/${answer.ts}`
    },
    async edit(messageId, message, options) {
      const [channelId, ts] = messageId.split('/')
      const body = { channel: channelId, ts, text: render(message) }
      const answer = await call('chat.update', body, options)
      if (!answer.ok && !uneditable.has(answer.error)) throw rejected('chat.update', answer)
    },
  }

  async function call(method: string, body: object, options: SendOptions): Promise<Answer> {
    const response = await sendJson(`${url}/${method}`, body, { ...options, token })
    return (await response.json()) as Answer
  }
}

type Answer = { ok: true; channel: string; ts: string } | { ok: false; error: string }

const withoutPreviews = { unfurl_links: false, unfurl_media: false }

/** Somebody deleted the message, or the workspace allows no edits. Trying again cannot help. */
const uneditable = new Set(['message_not_found', 'edit_window_closed', 'cant_update_message'])

function rejected(method: string, { error }: { error: string }): Error {
  return new Error(`Slack rejected ${method}: ${error}. Check the token and the channel.`)
}

const headings = {
  open: ':red_circle: *Outage*',
  update: ':large_orange_circle: *Update*',
  resolved: ':large_green_circle: *Resolved*',
  early_signal: ':eyes: *Early signal, unconfirmed*',
  retracted: ':wastebasket: *Retracted*',
}

function render({ state, provider, title, text, observedAt, sourceUrl }: Message): string {
  const seconds = Math.floor(Date.parse(observedAt) / 1_000)
  const time = `<!date^${seconds}^{date_short_pretty} {time}|${observedAt}>`
  return [
    `${headings[state]} ${escape(provider, 100)}: ${escape(title, 300)}`,
    ...(text === null ? [] : [escape(text, 1_500)]),
    `${time} · ${link(sourceUrl)}`,
  ].join('\n')
}

/** Escapes what Slack would read as a mention or a link, and puts it on one line. */
function escape(text: string, maxLength: number): string {
  const oneLine = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  const cut = Array.from(oneLine).slice(0, maxLength).join('')
  return cut.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

function link(sourceUrl: string): string {
  if (!/^https?:/i.test(sourceUrl) || !URL.canParse(sourceUrl)) return escape(sourceUrl, 1_000)
  return `<${escape(new URL(sourceUrl).href.replace(/\|/g, '%7C'), 2_000)}|Source>`
}
