import type { FeedEvent } from '@feed-receiver/core'
import { chatLink, chatText, escapeWithin } from './chat-text.ts'

/** The message of an incoming webhook of Slack: blocks, and a text for notifications. */
export function renderSlack({ type, data }: FeedEvent): unknown {
  const title = escaped(data.title, 150)
  const link = chatLink(data.source_url)
  const facts = [data.provider, type, data.confirmation, data.evidence]
  return {
    text: `${escaped(data.provider, 100)}: ${title}`,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(title) },
      ...(data.summary ? [section(escaped(data.summary, 3000))] : []),
      {
        type: 'context',
        elements: facts.map((fact) => plain(escaped(fact, 200))),
      },
      {
        type: 'section',
        text: link
          ? { type: 'mrkdwn', text: `<${escape(link)}|Source>`, verbatim: true }
          : plain(`Source: ${escaped(data.source_url, 2900)}`),
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

/** What Slack takes at most is what comes out of the escaping. */
function escaped(text: string, maxCharacters: number): string {
  return escapeWithin(chatText(text, maxCharacters), maxCharacters, escape)
}

/** What Slack asks to be escaped, and nothing else. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
