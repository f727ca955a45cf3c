import { fixture } from '@feed-receiver/sender'
import { signDelivery } from '@feed-receiver/core/testing'
import { createInbox, readShards, shardInbox } from '@feed-receiver/inbox'
import { createReceiver } from '@feed-receiver/core'
import { expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../../test/support/databases.ts'
import { runMain } from '../test/run-main.ts'

const secret = 'feed_whsec_shardstest0123456789abcdef'

it('works on all shards of one variable, and names a shard that is down', async () => {
  const targets = [await createTarget('postgres', 'inbox'), await createTarget('postgres', 'inbox')]
  const urls = targets.map(({ target }) => (typeof target === 'string' ? target : target.folder))
  const env = { FEED_SIGNING_SECRET: secret, DATABASE_URL: urls.join(' ') }
  const { databases, previous } = readShards(env.DATABASE_URL)
  const inbox = shardInbox(
    databases.map((database) => createInbox({ database })),
    { previous },
  )
  onTestFinished(async () => {
    await inbox.stop()
    for (const { drop } of targets) await drop()
  })
  await inbox.start()
  const receiver = createReceiver({ secrets: [secret], inbox, observe: () => {} })
  const events = Array.from({ length: 12 }, (_, index) => ({
    ...fixture('outage_started'),
    id: `evt_shard_${index}`,
  }))
  for (const event of events) {
    const { status } = await receiver.receive(signDelivery(event, { secret }))
    expect(status).toBe(202)
  }
  await inbox.drain({})

  const cli = (...args: string[]) => runMain(args, { env })
  const listed = await cli('inbox', 'list', '--limit', '50', '--json')
  expect(JSON.parse(listed.stdout).entries).toHaveLength(12)
  expect(await cli('inbox', 'show', 'evt_shard_3')).toMatchObject({ code: 0 })
  const retried = await cli('inbox', 'retry', '--state', 'skipped', '--yes')
  expect(retried).toMatchObject({ code: 0, stdout: expect.stringContaining('12') })
  expect(await cli('inbox', 'health')).toMatchObject({ code: 0 })
  expect(await cli('doctor')).toMatchObject({ code: 0 })

  const nowhere = new URL(urls[1] ?? '')
  nowhere.pathname = '/nowhere'
  const partly = { env: { ...env, DATABASE_URL: `${urls[0]} ${nowhere.href}` } }
  const health = await runMain(['inbox', 'health'], partly)
  expect(health).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Shard 2 of 2'),
  })
  expect(await runMain(['inbox', 'list'], partly)).toMatchObject({ code: 1 })
  expect(await cli('rehearse', 'handlers.ts')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Choose one of the shards'),
  })
}, 60_000)
