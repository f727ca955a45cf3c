/**
 * The address of an action below `/_sandbox/api/`: `listDestinations` is `GET destinations`, and
 * `createKey` is `POST create-key`. Has no imports, so that a page can use it too.
 */
export function addressOf(name: string): { method: 'GET' | 'POST'; path: string } {
  const isRead = /^(?:read|list|find)(?=[A-Z])|^export$/.test(name)
  const rest = isRead ? name.replace(/^(?:read|list|find)/, '') : name
  const path = rest.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase()
  return { method: isRead ? 'GET' : 'POST', path }
}
