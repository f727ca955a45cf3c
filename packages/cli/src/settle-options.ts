import type { OptionTable } from './check-arguments.ts'

/** For verbs whose work is kept with the name of who did it. */
export const settleOptions = {
  by: { type: 'string', value: 'name', help: 'who does it; kept with the time' },
} as const satisfies OptionTable
