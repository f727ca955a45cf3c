import { memberOf } from './causes.ts'
import { parse } from './send.ts'

/** Finds the JSON-RPC message with the result of a request, or its error, in a complete answer. */
export function findResult(text: string, contentType: string | null, id: unknown): unknown {
  const isStream = contentType?.startsWith('text/event-stream') === true
  const messages = isStream ? readStream(text) : [parse(text)].flat()
  return messages.find(
    (message) =>
      memberOf(message, 'jsonrpc') === '2.0' &&
      memberOf(message, 'id') === id &&
      (memberOf(message, 'result') ?? memberOf(message, 'error')) !== undefined,
  )
}

/** Reads the messages of a stream of server-sent events. */
function readStream(text: string): unknown[] {
  const events = text.split(/\r?\n\r?\n|\r\r/)
  return events.map((event) => {
    const lines = event.split(/\r?\n|\r/).filter((line) => line.startsWith('data:'))
    return parse(lines.map((line) => line.slice('data:'.length)).join('\n'))
  })
}
