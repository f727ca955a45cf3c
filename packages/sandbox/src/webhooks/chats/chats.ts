import type { FeedEvent } from '@feed-receiver/core'
import type { DestinationKind } from '../../state/delivery.ts'

type ChatKind = Exclude<DestinationKind, 'signed'>

// Teams has three kinds: of Office connectors, of Logic Apps and of Power Automate.
const targets: readonly (readonly [kind: ChatKind, host: RegExp, path: RegExp])[] = [
  ['slack', /^hooks\.slack(?:-gov)?\.com$/, /^\/services(?:\/[A-Za-z0-9]+){3}$/],
  [
    'discord',
    /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/,
    /^\/api(?:\/v\d{1,2})?\/webhooks\/\d{5,25}\/[\w-]{20,200}$/,
  ],
  [
    'teams',
    /^[a-z0-9-]+\.webhook\.office\.com$/,
    /^\/webhookb2\/[\w@-]+\/IncomingWebhook\/[\w-]+\/[\w-]+(?:\/[\w-]+)?$/,
  ],
  [
    'teams',
    /^[a-z0-9.-]+\.logic\.azure\.com$/,
    /^\/workflows\/[0-9a-f]{32}\/triggers\/manual\/paths\/invoke$/,
  ],
  [
    'teams',
    /^[a-z0-9.-]+\.environment\.api\.powerplatform\.com$/,
    /^(?:\/powerautomate\/automations\/direct)?\/workflows\/[0-9a-f]{32}\/triggers\/manual\/paths\/invoke$/,
  ],
]

/**
 * The chat whose official incoming webhook has this address, or undefined. The whole address
 * must match, because the right host with another path is another interface of the same service.
 */
export function findChat(url: URL): ChatKind | undefined {
  const { protocol, port, pathname, username, password } = url
  if (protocol !== 'https:' || port !== '' || username !== '' || password !== '') return undefined
  const name = hostName(url)
  return targets.find(([, host, path]) => host.test(name) && path.test(pathname))?.[0]
}

/** Whether the host belongs to such a service, regardless of the path. */
export function isChatHost(url: URL): boolean {
  const name = hostName(url)
  return chatDomain.test(name) || targets.some(([, host]) => host.test(name))
}

const chatDomain = /^(?:.+\.)?(?:slack|slack-gov|discord|discordapp|outlook\.office)\.com$/

/** A name with a dot at its end is the same host. The URL parser normalizes other spellings. */
function hostName({ hostname }: URL): string {
  return hostname.replace(/\.+$/, '')
}

/** The exact text that every attempt posts to a destination of this kind. */
export function renderBody(kind: DestinationKind, event: FeedEvent): string {
  return JSON.stringify(kind === 'signed' ? event : renderers[kind](event))
}

const renderers = { slack: renderSlack, discord: renderDiscord, teams: renderTeams }

/** Blocks of plain text, so that nothing in it is formatting, a mention or an emoji. */
function renderSlack({ type, data }: FeedEvent): object {
  // The characters that Slack requires to be escaped. Its limits count the escaped text.
  const escape = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const plain = (text: string, max: number) => {
    return { type: 'plain_text', text: chatText(text, max, escape) || '-', emoji: false }
  }
  const section = (text: object) => ({ type: 'section', text })
  const link = chatLink(data.source_url)
  return {
    // For notifications.
    text: `${chatText(data.provider, 100, escape)}: ${chatText(data.title, 150, escape)}`,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(data.title, 150) },
      ...(data.summary ? [section(plain(data.summary, 3000))] : []),
      { type: 'context', elements: factsOf(type, data).map((fact) => plain(fact, 200)) },
      section(
        link
          ? { type: 'mrkdwn', text: `<${escape(link)}|Source>`, verbatim: true }
          : plain(`Source: ${data.source_url}`, 2900),
      ),
    ],
  }
}

/** One embed, which mentions nobody, whatever the text says. It has at most 6000 characters. */
function renderDiscord({ type, created_at: timestamp, data }: FeedEvent): object {
  // Escapes every character of Discord's markdown.
  const escape = (text: string) => text.replaceAll(/[\\*_~`|>#[\]()<@:-]/g, (sign) => `\\${sign}`)
  const field = (name: string, text: string) => {
    return { name, value: chatText(text, 400, escape) || '-', inline: true }
  }
  const link = chatLink(data.source_url)
  const source = link ?? chatText(data.source_url, 1024, escape)
  const embed = {
    title: chatText(data.title, 256, escape) || '-',
    ...(link && { url: link }),
    ...(data.summary && { description: chatText(data.summary, 3000, escape) }),
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

// An adaptive card. Its texts are runs, because text blocks would read markdown. Teams rejects
// longer messages.
function renderTeams({ type, data }: FeedEvent): object {
  const run = (text: string, max: number, style: object = {}) => {
    const inline = { type: 'TextRun', text: chatText(text, max) || '-', ...style }
    return { type: 'RichTextBlock', inlines: [inline] }
  }
  const subtle = { isSubtle: true, size: 'Small' }
  const link = chatLink(data.source_url)
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      run(data.title, 300, { weight: 'Bolder', size: 'Medium' }),
      ...(data.summary ? [run(data.summary, 5000)] : []),
      run(factsOf(type, data).join(' · '), 800, subtle),
      run(`Source: ${data.source_url}`, 2000, subtle),
    ],
    ...(link && { actions: [{ type: 'Action.OpenUrl', title: 'Source', url: link }] }),
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] }
}

function factsOf(type: string, { provider, confirmation, evidence }: FeedEvent['data']): string[] {
  return [provider, type, confirmation, evidence]
}

/**
 * Third-party text for a chat: one line, without control characters and marks that change
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
  let fitting = ''
  for (const character of clean) {
    const escaped = escape(character)
    if (fitting.length + escaped.length > maxCharacters - 1) break
    fitting += escaped
  }
  return `${fitting}…`
}

/** The source as a link that none of its characters can break; undefined if it is no web address. */
export function chatLink(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  const link = href.replaceAll(/[|<>\\"`]/g, encodeURIComponent).replaceAll("'", '%27')
  return link.length <= 2000 ? link : undefined
}
