/** Thrown by a handler: another try cannot help, so the entry is dead at once. */
export class Permanent extends Error {
  override name = 'Permanent'
}

/** Thrown by a handler: the next try is due then, and not when the backoff would have it. */
export class RetryAfter extends Error {
  override name = 'RetryAfter'
  /** Between now and a day from now. */
  readonly seconds: number

  /** @param when seconds from now, or a time. */
  constructor(when: number | Date, message?: string, options?: ErrorOptions) {
    super(message ?? 'The handler asked for a later try.', options)
    const seconds = typeof when === 'number' ? when : (when.getTime() - Date.now()) / 1_000
    this.seconds = Math.min(Math.max(Number.isNaN(seconds) ? 0 : seconds, 0), maxSeconds)
  }
}

const maxSeconds = 86_400
