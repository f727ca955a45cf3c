import type { FeedEvent } from '@feed-receiver/core'
import { chatLink, chatText } from './chat-text.ts'

/** The message of an incoming webhook of Slack: blocks, and a text for notifications. */
export function renderSlack({ type, data }: FeedEvent): unknown {
  const title = escape(chatText(data.title, 140))
  const source = chatText(data.source_url, 2000)
  const link = chatLink(data.source_url)
  const facts = [data.provider, type, data.confirmation, data.evidence]
  return {
    text: `${escape(chatText(data.provider, 60))}: ${title}`,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(title) },
      ...(data.summary ? [section(escape(chatText(data.summary, 2400)))] : []),
      {
        type: 'context',
        elements: facts.map((fact) => plain(escape(chatText(fact, 200)))),
      },
      {
        type: 'section',
        text: link
          ? { type: 'mrkdwn', text: `<${escape(link)}|Source>`, verbatim: true }
          : plain(`Source: ${escape(source)}`),
      },
    ],
  }
}

function section(text: string): unknown {
  return { type: 'section', text: plain(text) }
}

// Plain text, so that nothing in it is formatting, a mention or an emoji.
function plain(text: string): unknown {
  return { type: 'plain_text', text: text === '' ? '-' : text, emoji: false }
}

/** What Slack asks to be escaped, and nothing else. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
