import { randomBytes } from 'node:crypto'

/** A signing secret for one project on one machine; the service gives another one. */
export function developmentSecret(): string {
  return `feed_whsec_dev_${randomBytes(24).toString('base64url')}`
}
