import { usageSchema } from '@feed-receiver/core/api'
import { z } from 'zod'
import type { Caller } from '../server/caller.ts'
import type { Context } from '../server/context.ts'
import { plainText } from '../state/fields.ts'

/** One tool of the MCP endpoint: listed and checked by its schemas. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  name: string
  title: string
  description: string
  input: Input
  output: z.ZodType
  /** @throws Refusal for what is answered as an error of the tool */
  answer(context: Context, caller: Caller, input: z.output<Input>): Promise<ToolAnswer>
}

export interface ToolAnswer {
  /** What the output schema describes. */
  content: Record<string, unknown>
  /** The same in a few lines, for a model whose client does not show it the rest. */
  text: string
}

/** A tool whose answer has the types of its own input. */
export function defineTool<Input extends z.ZodType>(tool: Tool<Input>): Tool<Input> {
  return tool
}

/** What the account has used of its month, in every answer. */
export const usage = z.object(usageSchema.shape)

export const modelName = plainText(200).describe(
  'The exact id of the model, alone or as provider/model.',
)

export const pageLimit = z
  .int()
  .min(1)
  .max(200)
  .default(50)
  .describe('The most that the page may hold.')

/** A page as every tool that has pages answers it. */
export function pageOf(item: z.ZodType) {
  return z.object({
    data: z.array(item),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
    usage,
  })
}

export function sayPage(
  what: string,
  lines: readonly string[],
  { nextCursor, hasMore }: { nextCursor: string; hasMore: boolean },
): string {
  const next = `${hasMore ? 'There are more.' : 'No more for now.'} Next cursor: ${nextCursor}`
  return [`${lines.length} ${what}.`, ...lines, next].join('\n')
}
