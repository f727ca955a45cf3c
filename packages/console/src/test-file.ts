import type { Context } from 'hono'
import { z } from 'zod'
import { read, text } from './query.ts'
import { Rejection } from './rejection.ts'

/** Returns an event as a failing test. Errors: `unknown_event`, `content_pruned`. */
export type Reproduce = (eventId: string) => Promise<string>

/** Answers the test file of an entry, to be saved beside the handlers. */
export async function answerTestFile(c: Context, reproduce?: Reproduce): Promise<Response> {
  if (!reproduce) throw new Rejection(404, 'not_found', 'This console writes no test files.')
  const { id: eventId = '' } = read(z.object({ id: text }), c.req.query())
  const file = await reproduce(eventId).catch((error: unknown) => {
    const { code, message } = Object(error)
    if (code === 'unknown_event') throw new Rejection(404, code, message)
    if (code === 'content_pruned') throw new Rejection(409, code, message)
    throw error
  })
  return c.body(file, 200, {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `attachment; filename="${fileNameOf(eventId)}"`,
  })
}

/** Whatever an event id has, the name is a plain one and hidden on no system. */
function fileNameOf(eventId: string): string {
  return `event-${eventId.slice(0, 100).replaceAll(/[^\w-]+/g, '_')}.test.ts`
}
