import { z } from 'zod'
import type { Context } from './context.ts'
import { conflict, type missing, parseInput } from './rejections.ts'

/** An action of the control page: its function and its route derive from this. */
export interface Action<
  Input extends z.ZodType = z.ZodType,
  Answer = unknown,
> extends ActionRules<Input> {
  /** What it does, in one sentence. */
  description: string
  input: Input
  run(context: Context, input: z.output<Input>): Promise<Answer>
}

interface ActionRules<Input extends z.ZodType> {
  /** The kind of thing that a read looks for. If it returns undefined, its route answers 404. */
  finds?: Parameters<typeof missing>[0]
  /** Why a strict sandbox rejects this input; undefined if it does not. */
  rejectStrict?(input: z.output<Input>): string | undefined
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
export function read<Answer>(description: string, run: (context: Context) => Promise<Answer>) {
  return action(description, z.object({}), run)
}

/** The input of an action on a numbered row, such as a key or a delivery. */
export const numbered = z.strictObject({ id: z.int().min(1) })

/** @throws Rejection `bad_parameter` for the input, and the errors of the action. */
export async function runAction(
  { input, run, rejectStrict }: Action,
  context: Context,
  given: unknown,
): Promise<unknown> {
  const parsed = parseInput(input, given)
  checkStrict(context, rejectStrict?.(parsed))
  return await run(context, parsed)
}

/** @throws Rejection `conflict` if there is a reason why a strict sandbox rejects this */
export function checkStrict({ strict }: Context, why: string | undefined): void {
  if (!strict || why === undefined) return
  throw conflict(`${why} To allow it, start the sandbox without strict (--strict).`)
}
