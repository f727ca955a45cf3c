import { expect, it, onTestFinished } from 'vitest'
import { makeEvent } from '../../../packages/client/test/make-event.ts'
import { serveFeed } from '../../../packages/client/test/serve-feed.ts'
import { startProgram } from '../../support/start-program.ts'
import { createTarget, describeOnEach } from '../../support/databases.ts'

const program = new URL('poller-process.ts', import.meta.url)

describeOnEach('a poller on %s', (kind) => {
  it('reads each event once although it is killed at each step of each page [R119]', async () => {
    const { target, drop } = await createTarget(kind, 'inbox')
    const feed = await serveFeed({ firstCursor: 'replay' })
    for (let number = 1; number <= 450; number += 1) feed.publish(makeEvent(number))
    const start = (...dies: string[]) => {
      const folderOrUrl = typeof target === 'string' ? target : target.folder
      const child = startProgram(program, [folderOrUrl, feed.baseUrl, ...dies])
      onTestFinished(() => child.kill('SIGKILL'))
      return child
    }
    // The head, then page after page: a restarted poller does not read stored pages again.
    const deaths = [
      ['stored', '1'],
      ['committed', '1'],
      ['stored', '2'],
      ['fetched', '1'],
    ]
    for (const dies of deaths) expect(await start(...dies).ended).toBe('SIGKILL')

    const last = start()
    const { outcome, effects } = JSON.parse(await last.nextLine())
    expect(outcome).toBe('caught_up')
    const everything = Array.from({ length: 450 }, (_, at) => `evt_${at + 1}`)
    expect(effects.toSorted()).toEqual(everything.toSorted())
    expect(await last.ended).toBe(0)
    await drop()
  }, 120_000)
})
