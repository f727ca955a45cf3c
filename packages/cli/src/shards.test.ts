import { fixture } from '@feed-receiver/sender'
import { signDelivery } from '@feed-receiver/core/testing'
import { createInbox } from '@feed-receiver/inbox'
import { readShards, shardInbox } from '@feed-receiver/shards'
import { createReceiver } from '@feed-receiver/core'
import { expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../../test/support/databases.ts'
import { runMain } from '../test/run-main.ts'

const secret = 'feed_whsec_shardstest0123456789abcdef'

it('works on one shard or all of them, and names a shard that is down', async () => {
  const targets = [await createTarget('postgres', 'inbox'), await createTarget('postgres', 'inbox')]
  const urls = targets.map(({ target }) => (typeof target === 'string' ? target : target.folder))
  const env = { FEED_SIGNING_SECRET: secret, DATABASE_URL: urls.join(' ') }
  const { databases, previous } = readShards(env.DATABASE_URL)
  const inbox = shardInbox(
    databases.map((database, index) => createInbox({ database, instance: String(index + 1) })),
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
  expect(await cli('inbox', 'list')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/there are 2: 1 \(\S+\), 2 \(\S+\)\. Choose one with --shard/),
  })
  const ofShard = async (shard: string) => {
    const { stdout } = await cli('inbox', 'list', '--limit', '50', '--json', '--shard', shard)
    return JSON.parse(stdout).entries
  }
  const [first, second] = [await ofShard('1'), await ofShard('2')]
  expect([first.length + second.length, first.length > 0, second.length > 0]).toEqual([
    12,
    true,
    true,
  ])
  const { eventId } = second[0]
  expect(await cli('inbox', 'show', eventId, '--shard', '2')).toMatchObject({ code: 0 })
  const retried = await cli('inbox', 'retry', '--state', 'skipped', '--yes', '--shard', '2')
  expect(retried).toMatchObject({ code: 0, stdout: expect.stringContaining(`${second.length}`) })
  expect(await cli('inbox', 'list', '--shard', '3')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no shard 3. The shards are: 1 ('),
  })
  expect(await cli('inbox', 'prune', '--days', '0', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${first.length}`),
  })
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
  expect(await runMain(['inbox', 'prune', '--yes'], partly)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^(?![^]*Unexpected)[^]*Shard 2 of 2 does not answer/),
  })
  const misspelt = { env: { ...env, DATABASE_URL: `${urls.join(' ')} oops` } }
  expect(await runMain(['inbox', 'list'], misspelt)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^(?![^]*Unexpected)[^]*Part 3 is neither a URL nor a time/),
  })
  expect(await runMain(['inbox', 'list', '--shard', '1'], partly)).toMatchObject({ code: 0 })
  expect(await cli('rehearse', 'handlers.ts')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Choose one with --shard'),
  })
}, 60_000)
