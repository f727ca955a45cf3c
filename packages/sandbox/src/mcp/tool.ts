import { z } from 'zod'
import type { Caller } from '../server/charging.ts'
import type { Context } from '../server/context.ts'
import { serviceEvent, type ServiceEvent } from '../state/service-event.ts'

/** One tool of the MCP endpoint. Its schemas are listed, and validate its input. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  name: string
  title: string
  description: string
  input: Input
  /** The members of its result without the usage, which is in every result. */
  output: Record<string, z.ZodType>
  /** @throws Refusal for errors that the tool reports to the client */
  answer(context: Context, input: z.output<Input>, caller: Caller): Promise<ToolAnswer>
}

interface ToolAnswer {
  /** The content that the output schema describes. */
  content: object
  /** The same in a few lines, for a model whose client does not show it the structured content. */
  lines: string[]
}

/** Defines a tool whose types follow from its input. */
export function defineTool<Input extends z.ZodType>(tool: Tool<Input>): Tool<Input> {
  return tool
}

export const pageLimit = z
  .int()
  .min(1)
  .max(200)
  .default(50)
  .describe('The maximum number of items in the page.')

/** The shape of a page, common to all tools with pages. */
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
  const next = `${hasMore ? 'More are available.' : 'No more for now.'} Next cursor: ${nextCursor}`
  const lines = [`${data.length} ${what}.`, ...data.map(say), next]
  return { content: { data, nextCursor, hasMore }, lines }
}
