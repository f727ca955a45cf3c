import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** A key of its own, so that a cookie says nothing about the token. */
export function sessionKeyOf(token: string): Buffer {
  return createHmac('sha256', token).update('feed-receiver console session').digest()
}

/**
 * Makes the value of a session cookie. It needs no memory: every process with the same token knows
 * it, and another token ends all sessions.
 */
export function sealSession(name: string, key: Buffer, expiresAtMs: number): string {
  const content = `${Buffer.from(name).toString('base64url')}.${expiresAtMs}`
  return `${content}.${sealOf(content, key)}`
}

/** Whose session it is; null where it is none, or is over. */
export function openSession(value: string, key: Buffer, now: number): string | null {
  const [name = '', expiresAtMs = '', seal = ''] = value.split('.')
  if (!isSame(seal, sealOf(`${name}.${expiresAtMs}`, key))) return null
  return Number(expiresAtMs) > now ? Buffer.from(name, 'base64url').toString() : null
}

/** Compares in a time that says nothing about either, their lengths included. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

function sealOf(content: string, key: Buffer): string {
  return createHmac('sha256', key).update(content).digest('base64url')
}
