import { openDatabase } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { fixture } from '@feed-receiver/sender'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../support/postgres.ts'
import { startProgram } from '../support/start-program.ts'
import { slackChannel, slackToken, useSlack } from './recipes/serve-slack.ts'

describe('the recipe incidents', { timeout: 300_000 }, () => {
  const slack = useSlack()

  it('repeats no message after a kill between two of them', async () => {
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    onTestFinished(drop)
    const database = openDatabase(url)
    onTestFinished(() => database.close())
    const inbox = createInbox({ database, ordered: 'subject' })
    await inbox.start()
    onTestFinished(() => inbox.stop())

    const killed = await startWorker(url)
    // The reply about the end is posted, and the edit of the first message is still to come.
    slack().failNext('chat.update', () => {
      killed.kill('SIGKILL')
      return false
    })
    const events = [fixture('outage_started'), fixture('outage_resolved')]
    await inbox.acceptPage(events, { stream: 'test', cursor: null })
    await killed.ended
    await startWorker(url)
    // The job is due again once the heartbeat of the killed worker is missed.
    const countDone = async () => (await inbox.entries.count({ state: 'done' })).count
    await expect.poll(countDone, { timeout: 150_000 }).toBe(2)
    expect(slack().calls.map(({ method, text }) => [method, text.split('*')[1]])).toEqual([
      ['chat.postMessage', 'Outage'],
      ['chat.postMessage', 'Resolved'],
      ['chat.update', 'Resolved'],
    ])
  })

  async function startWorker(database: string) {
    const program = new URL('recipes/incidents-process.ts', import.meta.url)
    const worker = startProgram(program, [database, slack().url, slackToken, slackChannel])
    onTestFinished(async () => {
      worker.kill('SIGKILL')
      await worker.ended
    })
    expect(await worker.nextLine()).toBe('working')
    return worker
  }
})
