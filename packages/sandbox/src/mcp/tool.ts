import { z } from 'zod'
import type { Caller } from '../server/charging.ts'
import type { Context } from '../server/context.ts'
import { serviceEvent, type ServiceEvent } from '../state/service-event.ts'

/** One tool of the MCP endpoint: listed and checked by its schemas. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  name: string
  title: string
  description: string
  input: Input
  /** The members of its answer, but for the usage, which is in every answer. */
  output: Record<string, z.ZodType>
  /** @throws Refusal for what is answered as an error of the tool */
  answer(context: Context, input: z.output<Input>, caller: Caller): Promise<ToolAnswer>
}

interface ToolAnswer {
  /** What the output schema describes. */
  content: object
  /** The same in a few lines, for a model whose client does not show it the rest. */
  text: string
}

/** A tool whose answer has the types of its own input. */
export function defineTool<Input extends z.ZodType>(tool: Tool<Input>): Tool<Input> {
  return tool
}

export const pageLimit = z
  .int()
  .min(1)
  .max(200)
  .default(50)
  .describe('The most that the page may hold.')

/** A page as every tool that has pages answers it. */
export function pageOf(item: z.ZodType) {
  return { data: z.array(item), nextCursor: z.string().nullable(), hasMore: z.boolean() }
}

export function answerPage<Item>(
  { events, nextCursor, hasMore }: { events: string; nextCursor: string; hasMore: boolean },
  what: string,
  read: (event: ServiceEvent) => Item,
  say: (item: Item) => string,
): ToolAnswer {
  const data = z.array(serviceEvent).parse(JSON.parse(events)).map(read)
  const next = `${hasMore ? 'There are more.' : 'No more for now.'} Next cursor: ${nextCursor}`
  const lines = [`${data.length} ${what}.`, ...data.map(say), next]
  return { content: { data, nextCursor, hasMore }, text: lines.join('\n') }
}
