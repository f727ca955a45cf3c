import type { FeedEvent } from '@feed-receiver/core'
import type { ChatKind } from './chat-targets.ts'

export type DestinationKind = 'signed' | ChatKind

/** The exact text that every attempt posts to a destination of this kind (R164, R182). */
export function renderBody(kind: DestinationKind, event: FeedEvent): string {
  return JSON.stringify(renderers[kind](event))
}

const renderers: Record<DestinationKind, (event: FeedEvent) => unknown> = {
  signed: (event) => event,
  slack: renderSlack,
  discord: renderDiscord,
  teams: renderTeams,
}

/** Blocks, and a text for notifications. */
function renderSlack({ type, data }: FeedEvent): unknown {
  // The characters that Slack requires to be escaped. Its limits count the escaped text.
  const escape = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const escaped = (text: string, max: number) => chatText(text, max, escape)
  // Plain text, so that nothing in it is formatting, a mention or an emoji.
  const plain = (text: string) => ({ type: 'plain_text', text: text || '-', emoji: false })
  const section = (text: unknown) => ({ type: 'section', text })

  const title = escaped(data.title, 150)
  const link = chatLink(data.source_url)
  const facts = [data.provider, type, data.confirmation, data.evidence]
  return {
    text: `${escaped(data.provider, 100)}: ${title}`,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(title) },
      ...(data.summary ? [section(plain(escaped(data.summary, 3000)))] : []),
      { type: 'context', elements: facts.map((fact) => plain(escaped(fact, 200))) },
      section(
        link
          ? { type: 'mrkdwn', text: `<${escape(link)}|Source>`, verbatim: true }
          : plain(`Source: ${escaped(data.source_url, 2900)}`),
      ),
    ],
  }
}

/**
 * One embed, which mentions nobody whatever the text says. Its parts total at most 6000 characters.
 */
function renderDiscord({ type, created_at: timestamp, data }: FeedEvent): unknown {
  // Escapes every character of Discord's markdown.
  const escape = (text: string) => text.replaceAll(/[\\*_~`|>#[\]()<@:-]/g, (sign) => `\\${sign}`)
  const escaped = (text: string, max: number) => chatText(text, max, escape)
  const field = (name: string, text: string) => {
    return { name, value: escaped(text, 400) || '-', inline: true }
  }

  const link = chatLink(data.source_url)
  const source = link ?? escaped(data.source_url, 1024)
  const embed = {
    title: escaped(data.title, 256) || '-',
    ...(link && { url: link }),
    ...(data.summary && { description: escaped(data.summary, 3000) }),
    timestamp,
    fields: [
      field('Provider', data.provider),
      field('Type', type),
      field('Evidence', `${data.evidence}, ${data.confirmation}`),
      // Discord accepts at most 1024 characters here. The title has the whole link.
      ...(source.length <= 1024 ? [{ name: 'Source', value: source }] : []),
    ],
  }
  return { allowed_mentions: { parse: [] }, embeds: [embed] }
}

/** An adaptive card. Its texts are runs, because text blocks would read markdown. */
function renderTeams({ type, data }: FeedEvent): unknown {
  const run = (text: string, look: object = {}) => {
    return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: text || '-', ...look }] }
  }
  const subtle = { isSubtle: true, size: 'Small' }

  const link = chatLink(data.source_url)
  const facts = [data.provider, type, data.confirmation, data.evidence]
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      // Teams rejects a message with longer texts. Its other parts are short.
      run(chatText(data.title, 300), { weight: 'Bolder', size: 'Medium' }),
      ...(data.summary ? [run(chatText(data.summary, 5000))] : []),
      run(chatText(facts.join(' · '), 800), subtle),
      run(`Source: ${chatText(data.source_url, 2000)}`, subtle),
    ],
    ...(link && { actions: [{ type: 'Action.OpenUrl', title: 'Source', url: link }] }),
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] }
}

/**
 * Third-party text for a chat (R184): one line, without control characters and marks that change
 * the direction of text. Its length is limited after escaping, and no character is cut in half.
 */
function chatText(
  text: string,
  maxCharacters: number,
  escape: (text: string) => string = (same) => same,
): string {
  const clean = text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .toWellFormed()
    .trim()
  const whole = escape(clean)
  if (whole.length <= maxCharacters) return whole
  let kept = ''
  for (const character of clean) {
    const escaped = escape(character)
    if (kept.length + escaped.length > maxCharacters - 1) break
    kept += escaped
  }
  return `${kept}…`
}

/**
 * The source as a link that no character in it can break out of, or undefined if it is no web
 * address.
 */
export function chatLink(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  const link = href.replaceAll(/[|<>\\"`]/g, encodeURIComponent).replaceAll("'", '%27')
  return link.length <= 2000 ? link : undefined
}
