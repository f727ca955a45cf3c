import { randomBytes } from 'node:crypto'

export type OpenCodes = ReturnType<typeof createOpenCodes>

/**
 * Codes that open the control page in place of the session. Every user of the machine can read the
 * arguments of a browser, so each code is valid once, for a minute.
 */
export function createOpenCodes() {
  const codes = new Set<string>()
  return {
    create(): string {
      const code = `feed_open_${randomBytes(32).toString('base64url')}`
      codes.add(code)
      setTimeout(() => codes.delete(code), lifetimeMs).unref()
      return code
    },
    /** Whether the code is valid; from now on it is not. */
    redeem: (code: string): boolean => codes.delete(code),
  }
}

const lifetimeMs = 60_000
