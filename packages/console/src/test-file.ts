import type { Context } from 'hono'
import { sayFrom } from './query.ts'
import type { ConsoleInbox } from './views.ts'

/** Answers the test file of an entry, to be saved beside the handlers. */
export async function answerTestFile(c: Context, inbox: ConsoleInbox): Promise<Response> {
  const eventId = sayFrom(c.req.query())('id') ?? ''
  const text = await inbox.entries.capsule(eventId)
  return c.body(text, 200, {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `attachment; filename="${fileNameOf(eventId)}"`,
  })
}

/** Whatever an event id has, the name is a plain one and hidden on no system. */
function fileNameOf(eventId: string): string {
  return `event-${eventId.slice(0, 100).replaceAll(/[^\w-]+/g, '_')}.test.ts`
}
