import type { OptionTable } from './check-arguments.ts'

/** For verbs that settle a row of quarantine. */
export const settleOptions = {
  by: { type: 'string', value: 'name', help: 'who does it; kept with the row' },
} as const satisfies OptionTable
