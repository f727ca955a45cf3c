/**
 * The worker of the `rehearse` benchmark, in its own process. Each line of input is a mode:
 * `handle` stores and handles events, `rehearse` runs the same handler on as many stored events. It
 * prints the events per second, as a line. Argument: a PostgreSQL URL or the folder of an embedded
 * database.
 */
import { createInterface } from 'node:readline'
import { createReceiver } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import { openDatabase } from '@feed-receiver/database'
import { createInbox, type Handlers } from '@feed-receiver/inbox'
import { rehearse } from '@feed-receiver/operate/rehearse'
import { fixture } from '@feed-receiver/sender'

const [target = '', count = ''] = process.argv.slice(2)
const events = Number(count)
const concurrency = 4
const secret = 'feed_whsec_benchmark_0123456789abcdef'
const database = openDatabase(target.startsWith('postgres') ? target : { folder: target })
await database.query('create table effect (event_id text not null)')

let onCommit = () => {}
const handlers: Handlers = {
  async model_release(event, { tx }) {
    tx.afterCommit(() => onCommit())
    await tx.query('insert into effect values ($1)', [event.id])
  },
}
let sources = 0
await handle()

for await (const way of createInterface({ input: process.stdin })) {
  const ms = way === 'handle' ? await handle() : await rehearseLatest()
  console.log(String((events / ms) * 1_000))
}
process.exit(0)

/** Each time with its own source. */
async function handle(): Promise<number> {
  sources += 1
  await using inbox = createInbox({ database, source: `round_${sources}` })
  await inbox.start()
  const receiver = createReceiver({ secrets: [secret], inbox, maxInFlight: events })
  const replies = await Promise.all(
    Array.from({ length: events }, (_, at) => {
      const event = fixture('model_release', { id: `evt_${sources}_${at}` })
      const { headers, body } = signDelivery(event, { secret })
      return receiver.receive({ method: 'POST', headers, body })
    }),
  )
  if (replies.some(({ status }) => status !== 202)) throw new Error('Not all were stored.')
  const startedAt = performance.now()
  await new Promise<void>((resolve, reject) => {
    let left = events
    onCommit = () => {
      left -= 1
      if (left === 0) resolve()
    }
    inbox.work(handlers, { concurrency }).catch(reject)
  })
  return performance.now() - startedAt
}

async function rehearseLatest(): Promise<number> {
  const startedAt = performance.now()
  const report = await rehearse({ handlers, database, source: `round_${sources}`, concurrency })
  if (report.handled !== events) throw new Error(`Only ${report.handled} were handled.`)
  return performance.now() - startedAt
}
