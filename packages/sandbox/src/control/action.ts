import { z } from 'zod'
import { conflict, type missing, parseInput, type Refusal } from '../server/refusals.ts'
import type { RunningContext } from '../webhooks/deliveries/deliverer.ts'

/** One row of the table of actions: its function, its route and its form come from here. */
export interface Action<
  Input extends z.ZodType = z.ZodType,
  Answer = unknown,
> extends ActionRules<Input> {
  input: Input
  run(context: RunningContext, input: z.output<Input>): Promise<Answer>
}

interface ActionRules<Input extends z.ZodType> {
  /** What a read that answers undefined did not find: its route answers 404. */
  finds?: Parameters<typeof missing>[0]
  /** Why a strict sandbox refuses this; undefined if it does not. */
  refuseStrict?(input: z.output<Input>): string | undefined
}

export function action<Input extends z.ZodType, Answer>(
  input: Input,
  run: Action<Input, Answer>['run'],
  rules: ActionRules<Input> = {},
): Action<Input, Answer> {
  return { input, run, ...rules }
}

/** The row of a read that takes no input. */
export function read<Answer>(run: (context: RunningContext) => Promise<Answer>) {
  return action(z.object({}), run)
}

/** The input of what is done to one thing that has a number. */
export const numbered = z.strictObject({ id: z.int().min(1) })

/** @throws Refusal `bad_parameter` for the input, and what the action throws. */
export async function runAction(
  { input, run, refuseStrict }: Action,
  context: RunningContext,
  given: unknown,
): Promise<unknown> {
  const parsed = parseInput(input, given)
  const refusal = context.strict ? refuseStrict?.(parsed) : undefined
  if (refusal !== undefined) throw strictRefusal(refusal)
  return await run(context, parsed)
}

export function strictRefusal(why: string): Refusal {
  return conflict('strict', { why })
}

export const noFaults = { refuseStrict: () => 'Nothing can be told to fail in a strict sandbox.' }
