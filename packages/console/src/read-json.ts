import { Refusal } from './refusal.ts'

export type JsonObject = Readonly<Record<string, unknown>>

const maxBytes = 256 * 1_024

/** Reads what the page says, up to a size. Another type of content a foreign form could send. */
export async function readJson({ headers, body }: Request): Promise<JsonObject> {
  if (headers.get('content-type')?.split(';')[0] !== 'application/json') {
    throw new Refusal(415, 'not_json', 'Send JSON, as application/json.')
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new Refusal(413, 'too_large', 'The body is too large.')
    chunks.push(chunk)
  }
  const value = parse(Buffer.concat(chunks).toString())
  if (isObject(value)) return value
  throw new Refusal(400, 'not_json', 'The body is no JSON object.')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
