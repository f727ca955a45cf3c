import { isError } from '@feed-receiver/core/internal'
import {
  type CallToolRequest,
  type CallToolResult,
  Client as McpSdkClient,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import {
  apiErrorSchema,
  deprecationSchema,
  modelCheckSchema,
  usageSchema,
  type ApiEvent,
  type Deprecation,
  type ModelCheck,
  type Usage,
} from './api/index.ts'
import { ClientError, knownErrors } from './errors.ts'
import { readEvent, type EventFilter, type PageOptions } from './events.ts'
import { causesOf, memberOf } from './causes.ts'
import {
  createStream,
  readerOf,
  readPage,
  type Page,
  type ReadItem,
  type Stream,
} from './read-page.ts'
import type { Requester } from './requester.ts'
import { parse } from './send.ts'

export interface ListChangesOptions extends EventFilter, PageOptions {}

export interface DeprecationsOptions extends PageOptions {
  /**
   * Only deprecations of this provider, as events name it in `data.provider`.
   * @default all providers
   */
  provider?: string | undefined
  /**
   * Only deprecations of this exact model id.
   * @default all models
   */
  model?: string | undefined
}

export interface CheckModelOptions {
  /** An exact model id, or an alias from the service. */
  model: string
  /** The provider of the model, needed if the answer is `ambiguous` without it. */
  provider?: string | undefined
}

/**
 * The four tools of the service's MCP endpoint, typed. Their results are third-party text: data,
 * not instructions. Each call costs one request of the quota; the first costs one more to connect.
 */
export interface McpTools extends AsyncDisposable {
  /** Lists events, or those after a cursor, as `eventPage` does. */
  listChanges(options?: ListChangesOptions): Promise<Page<ApiEvent>>
  /** One event with the timeline of its incident. Errors: `not_found`. */
  getChange(id: string): Promise<ApiEvent>
  /** Lists confirmed deprecations and removals of models. */
  getDeprecations(options?: DeprecationsOptions): Promise<Page<Deprecation>>
  /** Iterates over them with `for await`, from the cursor until there are no more pages. */
  deprecations(options?: DeprecationsOptions): Stream<Deprecation>
  /** Gets the latest confirmed lifecycle fact about a model. */
  checkModel(options: CheckModelOptions): Promise<ModelCheck>
  /** Closes the connection. The next call connects again. */
  close(): Promise<void>
}

/** The longest timer, because the requester has its own time limits and the SDK must not end first. */
const longestTimeout = { timeout: 2 ** 31 - 1 }

/** The caller waits for the tool, so a longer wait for a rate limit is reported as an error. */
const maxWaitMs = 30_000

const readDeprecation = readerOf(deprecationSchema)
const readModelCheck = readerOf(modelCheckSchema)

/** Makes the tools. They connect with the first call, and remember the server's capabilities. */
export function createMcpTools(
  requester: Requester,
  { noteUsage, warn }: { noteUsage(usage: Usage): void; warn(warning: string): void },
): McpTools {
  const url = new URL(`${requester.baseUrl}/mcp`)
  let connecting: Promise<McpSdkClient> | undefined

  return {
    listChanges: (options = {}) => getPage('list_changes', options, readEvent),
    async getChange(id) {
      return check(memberOf(await call('get_change', { id }), 'event'), readEvent, 'get_change')
    },
    getDeprecations,
    deprecations: ({ cursor = null, ...filter } = {}) =>
      createStream({
        what: 'A deprecation',
        cursor,
        idOf: ({ id }) => id,
        getPage: (next) => getDeprecations({ ...filter, cursor: next }),
        warn,
      }),
    async checkModel(options) {
      return check(await call('check_model', options), readModelCheck, 'check_model')
    },
    close,
    [Symbol.asyncDispose]: close,
  }

  function getDeprecations(options: DeprecationsOptions = {}): Promise<Page<Deprecation>> {
    return getPage('get_deprecations', options, readDeprecation)
  }

  async function getPage<Item>(
    name: string,
    options: PageOptions,
    readItem: ReadItem<Item>,
  ): Promise<Page<Item>> {
    return readPage(await call(name, options), readItem, options.cursor ?? null)
  }

  async function call(name: string, given: object): Promise<object> {
    const members = Object.entries(given).filter(
      ([, value]) => value !== undefined && value !== null,
    )
    try {
      const result = await callTool({ name, arguments: Object.fromEntries(members) })
      if (result.isError === true) throw toolError(name, result)
      const content: unknown = result.structuredContent
      if (typeof content !== 'object' || content === null) {
        throw unexpected(name, 'no structured content')
      }
      const { data: usage } = usageSchema.safeParse(memberOf(content, 'usage'))
      if (usage) noteUsage(usage)
      return content
    } catch (error) {
      requester.signal?.throwIfAborted()
      throw asClientError(name, error)
    }
  }

  /** Calls a tool, in a new session if the server has ended the one of the connection. */
  async function callTool(request: CallToolRequest['params']): Promise<CallToolResult> {
    connecting ??= connect()
    const used = connecting
    const client = await used
    try {
      return await client.callTool(request, longestTimeout)
    } catch (error) {
      // A restarted server answers so to a session that it does not know.
      if (!(error instanceof SdkHttpError) || error.status !== 404) throw error
      // A concurrent call may have connected again.
      if (connecting === used) connecting = undefined
      connecting ??= connect()
      return await (await connecting).callTool(request, longestTimeout)
    }
  }

  async function connect(): Promise<McpSdkClient> {
    const client = new McpSdkClient(
      { name: '@feed-receiver/client', version: '0.1.0' },
      // Connects with one request if the server supports the current revision, else the older way.
      { versionNegotiation: { mode: 'auto' } },
    )
    try {
      const transport = new StreamableHTTPClientTransport(url, { fetch: fetchForTransport })
      await client.connect(transport, longestTimeout)
      return client
    } catch (error) {
      // The next call connects again.
      connecting = undefined
      throw error
    }
  }

  // Skips the stream that older revisions open, because this service has none. Passes on the result
  // alone: the SDK waits for ever if an answer has none.
  async function fetchForTransport(
    input: string | URL,
    { signal, ...init }: RequestInit = {},
  ): Promise<Response> {
    if (init.method === 'GET' || init.method === 'DELETE') {
      return new Response(null, { status: 405 })
    }
    const options = { maxWaitMs, signal: signal ?? undefined }
    const { status, text, ...answer } = await requester.send(new URL(input), init, options)
    const headers = new Headers(answer.headers)
    // The text is already decoded.
    headers.delete('content-encoding')
    headers.delete('content-length')
    const request = typeof init.body === 'string' ? parse(init.body) : undefined
    const id = memberOf(request, 'id')
    if (id === undefined || status < 200 || status > 299) {
      return new Response(text || null, { status, headers })
    }
    const result = findResult(text, headers.get('content-type'), id)
    if (result === undefined) {
      const method = String(memberOf(request, 'method'))
      throw unexpected(method, `${status} without the result of the request`)
    }
    headers.set('content-type', 'application/json')
    return new Response(JSON.stringify(result), { headers })
  }

  async function close(): Promise<void> {
    const client = await connecting?.catch(() => undefined)
    connecting = undefined
    await client?.close()
  }
}

/** Finds the JSON-RPC message with the result of a request, or its error, in a complete answer. */
function findResult(text: string, contentType: string | null, id: unknown): unknown {
  const isStream = contentType?.startsWith('text/event-stream') === true
  const messages = isStream ? readServerSentEvents(text) : [parse(text)].flat()
  return messages.find(
    (message) =>
      memberOf(message, 'jsonrpc') === '2.0' &&
      memberOf(message, 'id') === id &&
      (memberOf(message, 'result') ?? memberOf(message, 'error')) !== undefined,
  )
}

/** Reads the messages of a stream of server-sent events. */
function readServerSentEvents(text: string): unknown[] {
  const events = text.split(/\r?\n\r?\n|\r\r/)
  return events.map((event) => {
    const lines = event.split(/\r?\n|\r/).filter((line) => line.startsWith('data:'))
    return parse(lines.map((line) => line.slice('data:'.length)).join('\n'))
  })
}

function check<Item>(value: unknown, readItem: ReadItem<Item>, name: string): Item {
  const read = readItem(value)
  if ('item' in read) return read.item
  throw unexpected(name, read.detail)
}

/** Makes an error from a tool result, whose content has the same form as the API's errors. */
function toolError(
  name: string,
  { structuredContent, content }: { structuredContent?: unknown; content?: unknown },
): ClientError {
  const text = String(memberOf(memberOf(content, '0'), 'text'))
  const said = apiErrorSchema.safeParse(structuredContent ?? parse(text)).data
  const [code, fix] = knownErrors.get(said?.code ?? '') ?? [
    'unexpected_answer',
    'This version does not know its error code; update this package.',
  ]
  return new ClientError(code, `The MCP tool ${name} failed. ${fix}`, {
    serviceCode: said?.code,
  })
}

function unexpected(name: string, what: string, cause?: unknown): ClientError {
  return new ClientError(
    'unexpected_answer',
    `The answer to ${name} of the MCP endpoint cannot be read (${what}). Check baseUrl, and update this package.`,
    { cause },
  )
}

/** Finds the transport's error inside the one that the SDK throws. */
function asClientError(name: string, error: unknown): ClientError {
  const own = causesOf(error).find((one) => one instanceof ClientError)
  return own ?? unexpected(name, isError(error) ? error.name : 'no error', error)
}
