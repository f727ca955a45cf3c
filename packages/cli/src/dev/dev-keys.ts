import type { Control } from '@feed-receiver/sandbox'
import type { Context } from '../command.ts'
import { many, present } from '../output/words.ts'
import type { DevInbox } from './dev-inbox.ts'
import { listenForKeys, type Key } from './keys.ts'
import { openPage } from './open-page.ts'

interface Keyed {
  control: Control
  /** The link of the page. */
  page: string
  /** Returns another link of it, which is valid once. */
  createOpenUrl: () => string
  devInbox: Pick<DevInbox, 'handledType' | 'retryFailing'>
  quit: () => void
}

/** Listens for the keys of `dev` in a terminal, and says so in one line. */
export function startDevKeys(keyed: Keyed, context: Context) {
  const { out } = context
  const keys = [...keysOf(keyed, context), { key: '?', does: 'list the keys', run: listKeys }]
  const listening = listenForKeys(keys, context)
  if (listening) {
    out.note('Press t to trigger an event, f to fail the next delivery, ? for all keys.\n')
  }
  return listening

  function listKeys(): void {
    for (const { key, does } of keys) out.note(`  ${key}  ${does}`)
  }
}

function keysOf({ control, page, createOpenUrl, devInbox, quit }: Keyed, context: Context): Key[] {
  const { out } = context
  return [
    {
      key: 't',
      does: 'trigger an event of a type that your app handles',
      async run() {
        const eventType = await devInbox.handledType()
        const { title } = await control.composeEvent({ eventType })
        out.note(`Published ${eventType}: ${title}`)
      },
    },
    {
      key: 'f',
      does: 'fail the next delivery with 503, to see a retry',
      async run() {
        await control.createDeliveryFault({ fault: 'answer_503', times: 1 })
        out.note(
          'The next delivery gets 503 and does not reach your app. Press t to trigger an event, then r to retry it now.',
        )
      },
    },
    {
      key: 'r',
      does: 'retry failing events and deliveries now',
      async run() {
        const events = await devInbox.retryFailing()
        const { deliveries, problems } = await retryDeliveries(control)
        const retried = present(
          deliveries > 0 && many(deliveries, 'delivery'),
          events > 0 && many(events, 'event'),
        )
        for (const problem of problems) out.warn(problem)
        if (retried.length > 0) out.note(`Retrying ${retried.join(' and ')} now.`)
        else if (problems.length === 0) out.note('Nothing waits for a retry.')
      },
    },
    {
      key: 'o',
      does: 'open the page',
      async run() {
        if (await openPage(createOpenUrl, context)) return
        // The link shows the session on purpose.
        out.reveal({ line: `Page  ${page}`, json: { page } })
      },
    },
    { key: 'q', does: 'quit', run: quit },
  ]
}

/** Retries each scheduled delivery now. Some may have been sent meanwhile, or are to a paused app. */
async function retryDeliveries(control: Control) {
  const scheduled = await control.listDeliveries({ state: 'scheduled', limit: 1_000 })
  const retries = scheduled.map(({ id }) => control.retryDelivery({ id }))
  const results = await Promise.allSettled(retries)
  const errors = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  // A paused destination says the same for each of its deliveries.
  const problems = new Map(errors.map((error: unknown) => [String(error), error]))
  return { deliveries: results.length - errors.length, problems: [...problems.values()] }
}
