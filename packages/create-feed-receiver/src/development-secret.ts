import { randomBytes } from 'node:crypto'

/** A signing secret for one project on one machine; the service gives another one. */
export function developmentSecret(): string {
  return `feed_whsec_dev_${randomBytes(24).toString('base64url')}`
}

/** Whether a receiver would start with this one; the same as `secretProblem` of the core says. */
export function isSigningSecret(text: string): boolean {
  return /^feed_whsec_(?!.*feed_whsec_)[!-+\--~]+$/.test(text)
}

export const badSecretAdvice =
  'FEED_SIGNING_SECRET in .env is no signing secret, so the app will not start with it. Put the ' +
  'one there that the service showed you, whole: it begins with feed_whsec_.'
