import type { Control } from '@feed-receiver/sandbox'
import type { Context } from '../command.ts'
import { many } from '../output/format-count.ts'
import { present } from '../output/present.ts'
import type { openDevInbox } from './dev-inbox.ts'
import { listenForKeys, type Key } from './keys.ts'
import { openPage } from './open-page.ts'

interface Keyed {
  control: Control
  /** The link of the page. */
  page: string
  devInbox: Pick<ReturnType<typeof openDevInbox>, 'handledType' | 'retryFailing'>
  quit: () => void
}

/** Listens for the keys of `dev` in a terminal, and says so in one line. */
export function startDevKeys(keyed: Keyed, context: Context) {
  const { out } = context
  const keys = [...keysOf(keyed, context), { key: '?', does: 'list the keys', run: list }]
  const listening = listenForKeys(keys, context)
  if (listening) {
    out.note('Press t to trigger an event, f to fail the next delivery, ? for all keys.\n')
  }
  return listening

  function list(): void {
    for (const { key, does } of keys) out.note(`  ${key}  ${does}`)
  }
}

function keysOf({ control, page, devInbox, quit }: Keyed, context: Context): Key[] {
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
        const deliveries = await control.listDeliveries({ state: 'scheduled' })
        for (const { id } of deliveries) await control.retryDelivery({ id })
        const events = await devInbox.retryFailing()
        const retried = present(
          deliveries.length > 0 && many(deliveries.length, 'delivery'),
          events > 0 && many(events, 'event'),
        )
        if (retried.length === 0) out.note('Nothing waits for a retry.')
        else out.note(`Retrying ${retried.join(' and ')} now.`)
      },
    },
    {
      key: 'o',
      does: 'open the page',
      async run() {
        // The link shows the session on purpose.
        if (!(await openPage(page, context))) out.reveal({ line: `Page  ${page}`, json: { page } })
      },
    },
    { key: 'q', does: 'quit', run: quit },
  ]
}
