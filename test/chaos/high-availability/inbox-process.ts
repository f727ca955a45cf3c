/** Starts an inbox on request, and prints the result. Argument: the URL of the database. */
import { createInterface } from 'node:readline'
import { createInbox } from '@feed-receiver/inbox'

const [database = ''] = process.argv.slice(2)
const inbox = createInbox({ database, onError: () => {} })
console.log('ready')

for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'start') process.exit()
  console.log(await inbox.start().then(() => 'started', describe))
  await inbox.stop().catch(() => undefined)
}

function describe(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return `${code} ${String(error)}`.replaceAll('\n', ' ')
}
