/**
 * The main job from end to end, on nothing but Node: an Express app receives a signed feed into an
 * embedded database and handles it, while a sender delivers good events and bad ones.
 */
import { randomBytes } from 'node:crypto'
import { openDatabase } from '@feed-receiver/database'
import { fixtures } from '@feed-receiver/sender'
import { startApp } from './app.ts'
import { createBoard } from './board.ts'
import { keepCurlLine } from './curl-line.ts'
import { deliverEverything } from './deliveries.ts'
import { fillIn, forgetEarlierRuns, lookInside, type Inside } from './look-inside.ts'
import { countEverything, formatCount, isAsExpected } from './summary.ts'

const isOnce = process.argv.includes('--once')
const secret = `feed_whsec_${randomBytes(24).toString('hex')}`
const goodEvents = fixtures.length + 1
const settleTimeoutMs = 30_000

console.log('Opening the embedded database; the first time this takes some seconds …')
const database = openDatabase({ folder: '.feed-receiver/tour' })
await database.open().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
await forgetEarlierRuns(database)
const app = await startApp({ database, secret, port: isOnce ? 0 : 3000 })
console.log(`Receiving on ${app.url}\n`)

const board = createBoard(process.stdout, goodEvents + 4)
await deliverEverything(app, secret, board)
const inside = await whenSettled()
board.end()

const counts = countEverything(board.rows, inside, goodEvents)
console.log(`\n${counts.map(formatCount).join('\n')}\n`)
if (!counts.every(isAsExpected)) {
  console.log('Some of this is not what it must be.')
  process.exitCode = 1
}

if (isOnce) await stop()
else await serve()

/** Waits until every entry has been handled, showing the way there. */
async function whenSettled(): Promise<Inside> {
  const givenUpAt = Date.now() + settleTimeoutMs
  for (;;) {
    const seen = await lookInside(database)
    fillIn(board.rows, seen)
    const open = seen.entries.filter(({ state }) => state === 'received').length
    board.draw(`${open} of ${seen.entries.length} entries are still to be handled`)
    if (open === 0 || Date.now() > givenUpAt) return seen
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function serve(): Promise<void> {
  const line = await keepCurlLine(app.url, secret)
  console.log(`Still receiving on ${app.url} until you press Ctrl-C. Deliver one yourself:\n`)
  console.log(`  ${line}\n`)
  process.once('SIGINT', () => void stop())
  process.once('SIGTERM', () => void stop())
}

async function stop(): Promise<void> {
  await app.stop()
  await database.close()
}
