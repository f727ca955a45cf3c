import type { FeedEvent } from '@feed-receiver/core'
import { chatLink, chatText, cut } from './chat-text.ts'

/** The message of a webhook of Discord: one embed, and nobody mentioned whatever the text says. */
export function renderDiscord({ type, created_at: createdAt, data }: FeedEvent): unknown {
  const link = chatLink(data.source_url)
  const source = link ?? escape(chatText(data.source_url, 500), 1000)
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: escape(chatText(data.title, 200), 256) || '-',
        ...(link && { url: link }),
        ...(data.summary && { description: escape(chatText(data.summary, 1800), 3600) }),
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
  return { name, value: escape(chatText(value, 200), 400) || '-', inline: true }
}

/** Takes the meaning from every sign of Discord's markdown; each may become two characters. */
function escape(text: string, maxCharacters: number): string {
  const escaped = text.replaceAll(/[\\*_~`|>#[\]()<@:-]/g, (sign) => `\\${sign}`)
  return cut(escaped, maxCharacters)
}
