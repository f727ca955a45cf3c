import { usageSchema } from '@feed-receiver/core/api'
import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { objectSchema } from '../documents/api-schemas.ts'
import type { ApiFault } from '../faults/api-faults.ts'
import { spoilMembers } from '../faults/with-faults.ts'
import { usageOf } from '../server/api-routes.ts'
import type { Caller } from '../server/charging.ts'
import type { Context } from '../server/context.ts'
import { parseInput } from '../server/refusals.ts'
import { refuse } from '../server/answered.ts'
import { getChange, listChanges, checkModel, getDeprecations } from './tools.ts'
import type { Tool } from './tool.ts'
import texts from './tools.json' with { type: 'json' }

const tools: readonly Tool[] = [listChanges, getChange, getDeprecations, checkModel]

// What the account has used of its month is in every answer.
const usage = z.object(usageSchema.shape)

const listed = tools.map((tool) => ({
  tool,
  config: {
    title: tool.title,
    description: `${tool.description} ${texts.untrusted}`,
    inputSchema: described(tool.input),
    outputSchema: described(z.object({ ...tool.output, usage })),
    annotations: {
      readOnlyHint: true,
      idempotentHint: true,
      destructiveHint: false,
      openWorldHint: false,
    },
  },
}))

// So that clients ask no more often than they need to, since they pay for it (R158).
const forAnHour = { ttlMs: 3_600_000, cacheScope: 'public' } as const

/**
 * A server for one request, in whichever revision of the protocol it speaks, with what a fault rule has
 * chosen for it.
 */
export function createToolServer(
  context: Context,
  request: FastifyRequest,
  caller: Caller,
  fault: ApiFault | undefined,
): McpServer {
  const server = new McpServer(
    { name: 'feed-sandbox', title: 'AI provider change feed (sandbox)', version: '1.0.0' },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: texts.instructions,
      cacheHints: { 'tools/list': forAnHour, 'server/discover': forAnHour },
    },
  )
  for (const { tool, config } of listed) {
    server.registerTool(tool.name, config, async (given) => {
      try {
        const input = parseInput(tool.input, given)
        const { content, text } = await tool.answer(context, input, caller)
        const whole = { ...content, usage: usageOf(caller) }
        const structuredContent = fault ? spoilMembers(whole, fault.kind, given) : whole
        return { structuredContent, content: [{ type: 'text', text }] }
      } catch (error) {
        const { body: text } = refuse(context, error, request)
        // As text alone: what is structured has to be what the output schema says, and some clients look.
        return { isError: true, content: [{ type: 'text', text }] }
      }
    })
  }
  return server
}

/** For the SDK to list. It judges nothing: what is wrong is said in the words of this service. */
function described(schema: z.ZodType): StandardSchemaWithJSON {
  const written = objectSchema(schema)
  const json = () => ({ ...written })
  return {
    '~standard': {
      version: 1,
      vendor: 'feed-receiver',
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  }
}
