import type { z } from 'zod'
import { parseQuery } from '../server/parse-query.ts'
import type { Control } from './control.ts'

/** One action of the control page, as JSON in and out. */
export type Action = (control: Control, input: unknown) => Promise<unknown>

export function action<Input>(
  schema: z.ZodType<Input>,
  run: (control: Control, input: Input) => Promise<unknown>,
): Action {
  return async (control, input) => await run(control, parseQuery(schema, input))
}
