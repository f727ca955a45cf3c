import type { z } from 'zod'
import { parseInput } from '../server/parse-input.ts'
import type { Control } from './control.ts'

/** One action of the control page, as JSON in and out. */
export type Action = (control: Control, input: unknown) => Promise<unknown>

export function action<Input>(
  schema: z.ZodType<Input>,
  run: (control: Control, input: Input) => Promise<unknown>,
): Action {
  return async (control, input) => await run(control, parseInput(schema, input))
}
