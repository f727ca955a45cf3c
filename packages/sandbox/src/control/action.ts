import { z } from 'zod'
import { conflict, type missing, parseInput, type Refusal } from '../server/refusals.ts'
import type { RunningContext } from '../webhooks/deliveries/deliverer.ts'

/** An action: its function, its route and its form derive from this. */
export interface Action<
  Input extends z.ZodType = z.ZodType,
  Answer = unknown,
> extends ActionRules<Input> {
  /** What it does, in one sentence. */
  description: string
  input: Input
  run(context: RunningContext, input: z.output<Input>): Promise<Answer>
}

interface ActionRules<Input extends z.ZodType> {
  /** The kind of thing that a read looks for. If it returns undefined, its route answers 404. */
  finds?: Parameters<typeof missing>[0]
  /** Why a strict sandbox rejects this input; undefined if it does not. */
  refuseStrict?(input: z.output<Input>): string | undefined
}

export function action<Input extends z.ZodType, Answer>(
  description: string,
  input: Input,
  run: Action<Input, Answer>['run'],
  rules: ActionRules<Input> = {},
): Action<Input, Answer> {
  return { description, input, run, ...rules }
}

/** Defines a read that takes no input. */
export function read<Answer>(
  description: string,
  run: (context: RunningContext) => Promise<Answer>,
) {
  return action(description, z.object({}), run)
}

/** @throws Refusal `bad_parameter` for the input, and the errors of the action. */
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
  return conflict(`${why} To allow it, start the sandbox without strict (--strict).`)
}
