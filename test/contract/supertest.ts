import request, { type Test } from 'supertest'
import { path, type Mounted } from './harness.ts'

type App = Parameters<typeof request>[0]

/** Sends through supertest, which starts the app on its own socket for each request. */
export function throughSupertest(app: App): Mounted {
  return {
    async send({ method = 'POST', headers, body }) {
      const sending = start(app, method).set(headers).serialize(asItIs).buffer(true).parse(asText)
      const { status, headers: answered, body: text } = await sending.send(toSend(body))
      return { status, headers: answered, body: typeof text === 'string' ? text : '' }
    },
    close: async () => {},
  }
}

type Method = 'post' | 'get' | 'put' | 'delete' | 'patch' | 'options' | 'head'

function start(app: App, method: string): Test {
  return request(app)[method.toLowerCase() as Method](path)
}

// By default, supertest serializes a Buffer as JSON.
function asItIs(bytes: unknown): string {
  return bytes as string
}

function toSend(body: Uint8Array | undefined): Buffer | undefined {
  return body && Buffer.from(body)
}

function asText(response: unknown, done: (error: Error | null, text: string) => void): void {
  const stream = response as NodeJS.ReadableStream
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('end', () => done(null, Buffer.concat(chunks).toString()))
}
