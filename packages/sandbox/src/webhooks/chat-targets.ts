/** The chats that can be a destination. */
export type ChatKind = 'slack' | 'discord' | 'teams'

/**
 * Which chat an address is an official incoming webhook of, or undefined (R181). Only the whole address
 * counts: the right host with another path is some other interface of the same service.
 */
export function findChat(url: URL): ChatKind | undefined {
  const { protocol, hostname, port, pathname, username, password } = url
  if (protocol !== 'https:' || port !== '' || username !== '' || password !== '') return undefined
  return targets.find(({ host, path }) => host.test(hostname) && path.test(pathname))?.kind
}

/** Whether the host belongs to such a service, whatever the path. */
export function isChatHost({ hostname }: URL): boolean {
  return targets.some(({ host }) => host.test(hostname))
}

const targets: readonly { kind: ChatKind; host: RegExp; path: RegExp }[] = [
  {
    kind: 'slack',
    host: /^hooks\.slack(?:-gov)?\.com$/,
    path: /^\/services(?:\/[A-Za-z0-9]+){3}$/,
  },
  {
    kind: 'discord',
    host: /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/,
    path: /^\/api(?:\/v\d{1,2})?\/webhooks\/\d{5,25}\/[\w-]{20,200}$/,
  },
  {
    kind: 'teams',
    host: /^[a-z0-9-]+\.webhook\.office\.com$/,
    path: /^\/webhookb2\/[\w@-]+\/IncomingWebhook\/[\w-]+\/[\w-]+(?:\/[\w-]+)?$/,
  },
  {
    kind: 'teams',
    host: /^[a-z0-9.-]+\.logic\.azure\.com$/,
    path: /^\/workflows\/[0-9a-f]{32}\/triggers\/manual\/paths\/invoke$/,
  },
  {
    kind: 'teams',
    host: /^[a-z0-9.-]+\.environment\.api\.powerplatform\.com$/,
    path: /^(?:\/powerautomate\/automations\/direct)?\/workflows\/[0-9a-f]{32}\/triggers\/manual\/paths\/invoke$/,
  },
]
