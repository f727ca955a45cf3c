/** What one look at an installation came to. */
export interface Finding {
  /** What was looked at. */
  check: string
  /** `failed` loses deliveries or accepts forged ones; `skipped` was not possible to look at. */
  verdict: 'ok' | 'warning' | 'failed' | 'skipped'
  /** What was seen. */
  says: string
  /** What to do about it; missing if all is well. */
  fix?: string
}

export function ok(check: string, says: string): Finding {
  return { check, verdict: 'ok', says }
}

export const failed = finding('failed')
export const warning = finding('warning')
export const skipped = finding('skipped')

function finding(verdict: Finding['verdict']) {
  return (check: string, says: string, fix: string): Finding => ({ check, verdict, says, fix })
}
