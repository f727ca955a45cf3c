import type { FeedEvent } from '@feed-receiver/core'
import { chatLink, chatText } from './chat-text.ts'

/** Beyond this Teams refuses a message; its other parts are short. */
const longest = { titleCharacters: 300, summaryCharacters: 5000 }

/**
 * The message of an incoming webhook of Teams: an adaptive card. Its texts are runs, in which, unlike
 * in text blocks, nothing is markdown.
 */
export function renderTeams({ type, data }: FeedEvent): unknown {
  const link = chatLink(data.source_url)
  const facts = [data.provider, type, data.confirmation, data.evidence]
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      text(chatText(data.title, longest.titleCharacters), { weight: 'Bolder', size: 'Medium' }),
      ...(data.summary ? [text(chatText(data.summary, longest.summaryCharacters))] : []),
      text(chatText(facts.join(' · '), 800), { isSubtle: true, size: 'Small' }),
      text(`Source: ${chatText(data.source_url, 2000)}`, { isSubtle: true, size: 'Small' }),
    ],
    ...(link && { actions: [{ type: 'Action.OpenUrl', title: 'Source', url: link }] }),
  }
  return {
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content },
    ],
  }
}

function text(run: string, look: Record<string, unknown> = {}): unknown {
  return {
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: run === '' ? '-' : run, ...look }],
  }
}
