import type { FeedEvent } from '@feed-receiver/core'
import { chatLink, chatText, escapeWithin } from './chat-text.ts'

/** The message of a webhook of Discord: one embed, and nobody mentioned whatever the text says. */
export function renderDiscord({ type, created_at: createdAt, data }: FeedEvent): unknown {
  const link = chatLink(data.source_url)
  const source = link ?? escaped(data.source_url, 1024)
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: escaped(data.title, 256) || '-',
        ...(link && { url: link }),
        ...(data.summary && { description: escaped(data.summary, 3000) }),
        timestamp: createdAt,
        fields: [
          field('Provider', data.provider),
          field('Type', type),
          field('Evidence', `${data.evidence}, ${data.confirmation}`),
          // Discord takes at most 1024 characters for it; the title has the whole link.
          ...(source.length <= 1024 ? [{ name: 'Source', value: source }] : []),
        ],
      },
    ],
  }
}

function field(name: string, value: string): unknown {
  return { name, value: escaped(value, 400) || '-', inline: true }
}

/** With all its parts together a message has at most 6000 characters. */
function escaped(text: string, maxCharacters: number): string {
  return escapeWithin(chatText(text, maxCharacters), maxCharacters, escape)
}

/** Takes the meaning from every sign of Discord's markdown. */
function escape(text: string): string {
  return text.replaceAll(/[\\*_~`|>#[\]()<@:-]/g, (sign) => `\\${sign}`)
}
