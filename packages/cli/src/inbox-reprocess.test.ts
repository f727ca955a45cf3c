import type { FeedEvent } from '@feed-receiver/core'
import { untilIdle } from '@feed-receiver/inbox/testing'
import { createSender, fixture } from '@feed-receiver/sender'
import { describe, expect, it } from 'vitest'
import type { Run } from '../test/run-cli.ts'
import { runMain } from '../test/run-main.ts'
import { startApp, useApp } from '../test/start-app.ts'

const secret = 'feed_whsec_replaytest0123456789abcdef'
const outage = fixture('outage_started')
const update = fixture('outage_updated')

/** An app that has handled an outage and skipped its update, and the command beside it. */
async function startFilled() {
  const calls: { id: string; reprocess: boolean }[] = []
  const keys: string[] = []
  const app = await startApp({
    kind: 'postgres',
    secret,
    handlers: {
      outage_started: async ({ id }, { reprocess, effects }) => {
        calls.push({ id, reprocess })
        await effects.once('page', ({ idempotencyKey }) => void keys.push(idempotencyKey))
      },
    },
  })
  await using sender = createSender({ secret })
  for (const event of [outage, update]) await deliver(event)
  await untilIdle(app.inbox)
  const cli = (...args: string[]): Promise<Run> =>
    runMain(['inbox', 'reprocess', ...args, ...app.databaseArguments])
  return { app, cli, calls, keys }

  async function deliver(event: FeedEvent): Promise<void> {
    expect(await sender.attempt(event, { to: app.url })).toMatchObject({ status: 202 })
  }
}

describe('inbox reprocess', () => {
  it('makes the worker of a running app handle matching entries again', async () => {
    const { app, cli, calls, keys } = await startFilled()
    const dry = await cli('--type', 'outage_started', '--dry-run')
    expect(dry).toEqual({ code: 0, stdout: '1 entry would be handled again.\n', stderr: '' })
    const args = ['--type', 'outage_started', '--yes', '--by', 'ada']
    const run = await cli(...args)
    expect(run).toMatchObject({ code: 0, stdout: '1 entry requeued.\n' })
    await untilIdle(app.inbox)
    expect(calls).toEqual([
      { id: outage.id, reprocess: false },
      { id: outage.id, reprocess: true },
    ])
    const again = await cli(outage.id, '--effects', 'again', '--yes', '--json')
    expect(JSON.parse(again.stdout)).toEqual({
      reprocessed: 1,
      emptied: 0,
      handledBefore: expect.any(String),
    })
    await untilIdle(app.inbox)
    expect(keys).toEqual([`feed/${outage.id}/page`, `feed/${outage.id}~1/page`])
    const { operations } = await app.inbox.operations()
    expect(operations).toMatchObject([
      { kind: 'reprocess', by: null, detail: expect.stringContaining('effects: again') },
      { kind: 'reprocess', by: 'ada', detail: expect.stringContaining('type: outage_started') },
    ])
  })

  it('shows the count and fails if there is no terminal to confirm', async () => {
    const { app, cli } = await startFilled()
    const run = await cli('--since', '1d')
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toMatch(
      /Handle 2 entries again\? There is no terminal to confirm this, so add --yes/,
    )
    expect((await app.inbox.operations()).operations).toEqual([])
  })

  it('continues an interrupted reprocessing with the printed time', async () => {
    const { app, cli, calls } = await startFilled()
    const first = await cli('--since', '1d', '--state', 'done', '--yes')
    const [, time = ''] = /--handled-before (\S+)\n/.exec(first.stderr) ?? []
    await untilIdle(app.inbox)
    const rest = await cli('--since', '1d', '--handled-before', time, '--yes', '--json')
    expect(JSON.parse(rest.stdout)).toEqual({ reprocessed: 1, emptied: 0, handledBefore: time })
    await untilIdle(app.inbox)
    expect(calls).toHaveLength(2)
    expect(await cli('--since', '1d', '--handled-before', time, '--yes')).toEqual({
      code: 0,
      stdout: '0 entries requeued.\n',
      stderr: `Nothing is left: no matching entry was handled before ${time}.\n`,
    })
  })

  it('names a type that no entry has', async () => {
    const { cli } = await startFilled()
    expect(await cli('--type', 'outage_startd', '--yes')).toMatchObject({
      code: 0,
      stdout: '0 entries requeued.\n',
      stderr: expect.stringMatching(
        /^No entry has the type "outage_startd"\. Did you mean outage_started\?\n/,
      ),
    })
    const known = await cli('--type', 'outage_started', '--state', 'skipped', '--dry-run')
    expect(known).toEqual({ code: 0, stdout: '0 entries would be handled again.\n', stderr: '' })
  })

  it('explains why it skips each id', async () => {
    const { app, cli } = await startFilled()
    const run = await cli(outage.id, 'evt_none', '__proto__', '--yes')
    expect(run).toMatchObject({ code: 1, stdout: '1 entry requeued.\n' })
    expect(run.stderr).toMatch(
      /^No entry has the event id "evt_none"\.\nNo entry has the event id "__proto__"\.\nIf this/,
    )
    await untilIdle(app.inbox)
    const retried = await runMain(['inbox', 'retry', outage.id, ...app.databaseArguments])
    expect(retried).toMatchObject({ code: 1, stdout: '0 entries requeued.\n' })
    expect(retried.stderr).toMatch(/^"\S+" is done\.\nOnly dead, skipped and failing/)
  })

  it('counts entries whose content was pruned', async () => {
    const { app, cli } = await startFilled()
    await app.inbox.prune({ bytesAfterDays: 0 })
    expect(await cli(outage.id, 'evt_none', '--yes')).toMatchObject({
      code: 1,
      stdout: '0 entries requeued.\n',
      stderr: expect.stringMatching(
        /^1 more cannot be reprocessed, .*\n".*" has no content, because prune deleted it\.\nNo entry .*\nOnly done and skipped/,
      ),
    })
  })

  it('points to the command that delivers recorded events, and the other way round', async () => {
    const [stored, recorded] = [
      await runMain(['inbox', 'reprocess', '--help']),
      await runMain(['replay', '--help']),
    ]
    expect(stored.stdout).toContain('To deliver recorded events to a receiver, use: feed-receiver')
    expect(recorded.stdout).toContain('use: feed-receiver inbox reprocess')
  })
})

describe('inbox reprocess with wrong options', () => {
  const app = useApp({ kind: 'postgres', secret })

  it.each([
    [[], /This would reprocess every event in the inbox\. Give event ids or a filter/],
    [['evt_1', '--type', 'a'], /Event ids and a filter exclude each other/],
    [['--state', 'dead', '--yes'], /--state must be one of done, skipped/],
    [['--type', 'a', '--effects', 'twice'], /--effects must be one of keep, again/],
    [['--min-revision', '0'], /--min-revision must be a whole number of 1 or more/],
    [['--type', 'a', '--handled-before', 'soon'], /--handled-before must be a time such as/],
  ])('rejects %j', async (args, message) => {
    const run = await runMain(['inbox', 'reprocess', ...args, ...app().databaseArguments])
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
  })
})
