import type { Socket } from 'node:net'
import { refusals, type RefusalReason } from './refusals.ts'

/** Answers what Node could not read as a request, in the one shape of errors. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, code, text] = refusals[reasons[error.code ?? ''] ?? 'bad_http']
  const body = JSON.stringify({ error: text, code })
  socket.end(
    [
      `HTTP/1.1 ${status} ${code}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

const reasons: Record<string, RefusalReason> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}
