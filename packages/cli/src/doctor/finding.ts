/** What one look at an installation came to. */
export interface Finding {
  /** What was looked at. */
  check: string
  verdict: 'ok' | 'warning' | 'failed' | 'skipped'
  /** What was seen. */
  says: string
  /** What to do about it; missing where all is well. */
  fix?: string
}

/** A finding that all is well. */
export function ok(check: string, says: string): Finding {
  return { check, verdict: 'ok', says }
}

/** A finding that something is wrong: what loses deliveries, or lets in what it must not. */
export function failed(check: string, says: string, fix: string): Finding {
  return { check, verdict: 'failed', says, fix }
}

/** A finding that something may become wrong. */
export function warning(check: string, says: string, fix: string): Finding {
  return { check, verdict: 'warning', says, fix }
}

/** A look that was not possible. */
export function skipped(check: string, says: string, fix: string): Finding {
  return { check, verdict: 'skipped', says, fix }
}
