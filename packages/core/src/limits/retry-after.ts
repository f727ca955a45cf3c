/**
 * Seconds for the `Retry-After` of an overloaded receiver, which replaces the sender's own backoff.
 * Twice the age of the event, so that each wait is longer than all earlier ones together: a
 * short peak costs a minute, and eight rejected attempts span hours. Spread by a fifth, so that
 * deliveries rejected together do not come back together. The sender caps it at an hour.
 */
export function retryAfterSeconds(createdAt: string | undefined, now: number): number {
  const ageSeconds = (now - Date.parse(createdAt ?? '')) / 1_000
  const seconds = Number.isNaN(ageSeconds) ? maxSeconds : 2 * ageSeconds
  const bounded = Math.min(Math.max(seconds, minSeconds), maxSeconds)
  return Math.round(bounded * (0.8 + 0.4 * Math.random()))
}

const minSeconds = 60
const maxSeconds = 3_000
