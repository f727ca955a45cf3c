export interface ActionAddress {
  method: 'GET' | 'POST'
  path: string
}

/**
 * The address of an action below `/_sandbox/api/`, by its name in the table of actions:
 * `listDestinations` is `GET destinations`, and `createKey` is `POST create-key`. It has no imports,
 * so that the page can use it too.
 */
export function addressOf(name: string): ActionAddress {
  const isRead = /^(?:read|list|find)(?=[A-Z])|^export$/.test(name)
  const rest = isRead ? name.replace(/^(?:read|list|find)/, '') : name
  const path = rest.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase()
  return { method: isRead ? 'GET' : 'POST', path }
}
