import { createReceiver, type ReceiverOptions } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Inbox } from '../index.ts'

const secret = 'feed_whsec_pausetest0123456789abcdef'
const signed = () => signDelivery(makeEvent(), { secret })
const forged = () => signDelivery(makeEvent(), { secret: `${secret}_other` })

describeOnEach('the health after a rejection on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox
  let number = 0

  beforeEach(async () => {
    number += 1
    inbox = createInbox({ database: database(), source: `source_${number}` })
    await inbox.start()
    onTestFinished(() => inbox.stop())
  })

  const receiverWith = (options: Partial<ReceiverOptions> = {}) =>
    createReceiver({ secrets: secret, inbox, observe: () => {}, ...options })
  const written = async () => {
    await expect.poll(() => inbox.refusals()).not.toEqual([])
  }

  it('warns first that the feed is probably paused, until a delivery is accepted', async () => {
    const receiver = receiverWith()
    await receiver.receive(signed())
    await database().query(`update feed_inbox.job set start_after = now() - interval '1 hour'`)
    await receiver.receive(forged())
    await written()
    expect(await inbox.health()).toMatchObject({
      warnings: [
        {
          code: 'deliveries_rejected',
          message: expect.stringMatching(
            /answered 401 \(signature_mismatch\) at 20.*Z, once .* Give the receiver/,
          ),
        },
      ],
      problems: [{ code: 'nothing_claimed' }],
      refusals: [{ reason: 'signature_mismatch', count: 1 }],
    })
    await receiver.receive(signed())
    expect(await inbox.health()).toMatchObject({
      warnings: [],
      refusals: [{ reason: 'signature_mismatch' }],
    })
  })

  it('stays ok, so no stranger can make a health route take the app down', async () => {
    await receiverWith().receive(forged())
    await written()
    expect(await inbox.health()).toMatchObject({ ok: true, problems: [] })
  })

  it('stops warning once a known event arrives again', async () => {
    const receiver = receiverWith()
    const delivery = signed()
    await receiver.receive(delivery)
    await receiver.receive(forged())
    await written()
    expect(await inbox.health()).toMatchObject({ warnings: [{ code: 'deliveries_rejected' }] })
    expect(await receiver.receive(delivery)).toMatchObject({ status: 200 })
    expect(await inbox.health()).toMatchObject({ warnings: [] })
  })

  it('stops warning after an hour', embedded, async () => {
    await receiverWith().receive({ ...forged(), headers: {} })
    await written()
    expect(await inbox.health()).toMatchObject({ warnings: [{ code: 'deliveries_rejected' }] })
    await database().query(
      `update feed_inbox.refusal set last_at = now() - interval '61 minutes' where source = $1`,
      [`source_${number}`],
    )
    expect(await inbox.health()).toMatchObject({ warnings: [], refusals: [] })
  })

  it.each<[string, Partial<ReceiverOptions>, object]>([
    ['a method that the service never uses', {}, { method: 'GET' }],
    ['a status that leads to retries', { statuses: { signature_mismatch: 503 } }, {}],
    ['a compressed body', {}, { headers: { 'content-encoding': 'gzip' } }],
  ])('does not warn after %s', async (_, options, change) => {
    await receiverWith(options).receive({ ...forged(), ...change })
    await written()
    expect(await inbox.health()).toMatchObject({ warnings: [], refusals: [{ count: 1 }] })
  })

  it('detects a pause by another pausing status', async () => {
    await receiverWith({ statuses: { signature_mismatch: 404 } }).receive(forged())
    await written()
    const message = expect.stringContaining('404 (signature_mismatch)')
    expect(await inbox.health()).toMatchObject({
      warnings: [{ code: 'deliveries_rejected', message }],
    })
  })
})
