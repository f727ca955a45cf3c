import { request } from 'node:http'
import type { TestSandbox } from './use-sandbox.ts'

export interface McpAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it as they like
  body: any
}

export interface McpRequestOptions {
  method?: string
  path?: string
  /** Undefined sends none. */
  key?: string | undefined
  headers?: Record<string, string>
}

/** Makes one request to /mcp over a socket of its own, with whatever body and headers. */
export async function mcpRequest(
  { sandbox, key: ownKey }: TestSandbox,
  body: unknown,
  { method = 'POST', path = '/mcp', headers = {}, ...options }: McpRequestOptions = {},
): Promise<McpAnswer> {
  const key = 'key' in options ? options.key : ownKey
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  return await new Promise((resolve, reject) => {
    const asked = request(sandbox.url + path, {
      method,
      agent: false,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    })
    asked.on('error', reject).on('response', (response) => {
      let answered = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (answered += chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: answered,
          body: parse(answered),
        }),
      )
    })
    asked.end(text)
  })
}

/** A request of the stateless revision, with what each of its requests has to say. */
export function modern(
  id: number,
  method: string,
  params: Record<string, unknown> = {},
): [body: object, options: McpRequestOptions] {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
  }
  return [{ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }, { headers }]
}

/** The one message of an answer, be it JSON or a stream of events. */
function parse(text: string): unknown {
  const data = /^data: (.+)$/m.exec(text)?.[1] ?? text
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}
