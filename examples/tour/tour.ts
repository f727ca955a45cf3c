/**
 * The main use from end to end, with nothing but Node. An Express app receives a signed feed into
 * an embedded database and handles it. The sandbox sends the good events, and a sender the bad
 * ones.
 */
import { randomBytes } from 'node:crypto'
import { openDatabase } from '@feed-receiver/database'
import { startApp } from './app.ts'
import { deliverBadOnes } from './bad-deliveries.ts'
import { createBoard } from './board.ts'
import { keepCurlLine } from './curl-line.ts'
import { asked, publishEverything, publishThroughOutage } from './good-deliveries.ts'
import { createJournal } from './journal.ts'
import { fillIn, forgetEarlierRuns, lookInside, type Inside } from './look-inside.ts'
import { startService } from './service.ts'
import { countEverything, formatCount, isAsExpected } from './summary.ts'

const isOnce = process.argv.includes('--once')
const secret = `feed_whsec_${randomBytes(24).toString('hex')}`
const expectedRows = asked.tests + asked.published + 4
const handledTimeoutMs = 30_000
const port = isOnce ? 0 : Number(process.env.PORT || 3000)

console.log('Opening two embedded databases; the first time this takes a few seconds …')
const database = openDatabase({ folder: '.feed-receiver/tour' })
await database.open().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
await forgetEarlierRuns(database)
const app = await startApp({ database, secret, port })
const service = await startService(app.inbox)
console.log(`Receiving on ${app.url}\n`)

const board = createBoard(process.stdout, expectedRows)
const journal = createJournal(service.control, board)
await publishEverything(app, secret, service.control, journal)
board.announce(
  'On purpose: two forged deliveries, a late one, and one of a future schema. The receiver warns of the first three.',
)
await deliverBadOnes(app, secret, board)
board.announce(
  'On purpose: the inbox is down for two attempts. The receiver warns, and nothing is lost.',
)
await publishThroughOutage(app, service.control, journal)
const inside = await waitUntilHandled()
board.end()

const counts = countEverything(board.rows, inside, asked)
console.log(`\n${counts.map(formatCount).join('\n')}\n`)
if (!counts.every(isAsExpected)) {
  console.log('Some counts are wrong.')
  process.exitCode = 1
}

if (isOnce) await stop()
else await serve()

/** Waits until every entry has been handled, and shows the progress. */
async function waitUntilHandled(): Promise<Inside> {
  const givenUpAt = Date.now() + handledTimeoutMs
  for (;;) {
    const seen = await lookInside(database, app.inbox)
    fillIn(board.rows, seen)
    const open = seen.entries.filter(({ state }) => state === 'received').length
    board.draw(`${open} of ${seen.entries.length} entries are pending`)
    if (open === 0 || Date.now() > givenUpAt) return seen
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function serve(): Promise<void> {
  const line = await keepCurlLine(app.url, secret)
  console.log(
    `The app keeps receiving on ${app.url} until you press Ctrl-C. Deliver an event yourself:\n`,
  )
  console.log(`  ${line}\n`)
  console.log('Open this link in a browser to see each event on its way; it logs you in:\n')
  console.log(`  ${service.controlUrl}`)
  process.once('SIGINT', () => void stop())
  process.once('SIGTERM', () => void stop())
}

async function stop(): Promise<void> {
  await service.stop()
  await app.stop()
  await database.close()
}
