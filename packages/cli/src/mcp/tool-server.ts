import { McpServer } from '@modelcontextprotocol/server'
import { describeError } from '../output/describe-error.ts'
import { docsTools, documented, readDocs } from './docs.ts'
import { answerSchema, toToolResult, type Answer } from './envelope.ts'
import { readTools } from './read-tools.ts'
import { receiverTools } from './receiver-tools.ts'
import { sandboxTools } from './sandbox-tools.ts'
import type { Tool, ToolContext } from './tool.ts'
import { writeTools } from './write-tools.ts'
import texts from './tools.json' with { type: 'json' }

const readingTools = [...readTools, ...receiverTools, ...docsTools]

export interface ToolServerOptions extends ToolContext {
  /** Whether to list the tools that change the inbox. */
  write: boolean
}

/** Creates servers, one per connection. They share one inbox and run one call at a time. */
export function toolServers({ write, ...context }: ToolServerOptions): () => McpServer {
  const tools = [
    ...readingTools,
    ...(context.sandbox ? sandboxTools : []),
    ...(write ? writeTools : []),
  ]
  // A process cannot open an embedded database twice.
  let before: Promise<unknown> = Promise.resolve()
  const inTurn = (work: () => Promise<Answer>) => {
    const own = before.then(work)
    before = own.catch(() => undefined)
    return own
  }

  return () => {
    const server = new McpServer(
      { name: 'feed-receiver', title: 'feed-receiver', version: '1.0.0' },
      { capabilities: { tools: { listChanged: false } }, instructions: texts.instructions },
    )
    for (const tool of tools) addTool(server, tool, context, inTurn)
    addDocs(server)
    return server
  }
}

function addTool(
  server: McpServer,
  tool: Tool,
  context: ToolContext,
  inTurn: (work: () => Promise<Answer>) => Promise<Answer>,
): void {
  const { name, title, description, input: inputSchema, effect } = tool
  const annotations = {
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'writes',
    openWorldHint: effect === 'sends',
  }
  const config = { title, description, inputSchema, outputSchema: answerSchema, annotations }
  server.registerTool(name, config, async (input, { mcpReq }) => {
    const signal = AbortSignal.any([context.signal, mcpReq.signal])
    try {
      return toToolResult(await inTurn(() => tool.answer(input, { ...context, signal })))
    } catch (error) {
      const { message, code } = describeError(error, signal)
      return toToolResult({
        ok: false,
        says: [],
        untrusted: { error: message, code },
        hasFailed: true,
      })
    }
  })
}

function addDocs(server: McpServer): void {
  for (const name of documented) {
    const uri = `feed-receiver://docs/${name}`
    server.registerResource(
      name,
      uri,
      { title: `README of ${name}`, mimeType: 'text/markdown' },
      () => ({
        contents: [{ uri, mimeType: 'text/markdown', text: readDocs(name) }],
      }),
    )
  }
}
