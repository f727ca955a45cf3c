import { createHmac } from 'node:crypto'

/**
 * What an account knows an event or a subject by: stable, and of no meaning to another account, where
 * the same thing has another one (R56, R57).
 */
export function makeReference(
  key: Buffer,
  kind: 'event' | 'subject',
  accountId: string,
  id: string,
): string {
  const digest = createHmac('sha256', key)
    .update(JSON.stringify([kind, accountId, id]))
    .digest('hex')
  return `${kind}_${digest.slice(0, 48)}`
}
