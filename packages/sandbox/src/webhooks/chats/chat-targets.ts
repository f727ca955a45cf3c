/** The chats that can be a destination. */
export type ChatKind = 'slack' | 'discord' | 'teams'

/**
 * The chat whose official incoming webhook has this address, or undefined (R181). The whole address
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

/**
 * A name with a dot at its end is the same host. The URL parser normalizes every other spelling.
 */
function hostName({ hostname }: URL): string {
  return hostname.replace(/\.+$/, '')
}

const chatDomain = /^(?:.+\.)?(?:slack|slack-gov|discord|discordapp|outlook\.office)\.com$/

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
