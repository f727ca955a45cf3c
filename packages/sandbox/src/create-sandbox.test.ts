import { request } from 'node:http'
import { openDatabase } from '@feed-receiver/database'
import { expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../../test/support/databases.ts'
import { startSandbox } from '../test/use-sandbox.ts'

it('releases its port if it cannot start', async () => {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  const first = await startSandbox({ database: target, historyDays: 0 })
  const { url } = first.sandbox
  await first.sandbox.stop()
  const database = openDatabase(target)
  await database.query('alter table sandbox.delivery rename to gone')
  const options = { database: target, historyDays: 0, port: Number(new URL(url).port) }
  await expect(startSandbox(options)).rejects.toThrow(/delivery/)
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  await database.query('alter table sandbox.gone rename to delivery')
  await database.close()
  const again = await startSandbox(options)
  await again.sandbox.stop()
})

it('deletes nothing for `fresh` while another sandbox has its port', async () => {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  const { sandbox } = await startSandbox({ database: target, historyDays: 0 })
  onTestFinished(() => sandbox.stop())
  const { id } = await sandbox.control.composeEvent({})
  const port = Number(new URL(sandbox.url).port)
  const second = startSandbox({ database: target, port, historyDays: 0, fresh: true })
  await expect(second).rejects.toMatchObject({ code: 'port_taken' })
  expect(await sandbox.control.listEvents({})).toMatchObject([{ id }])
})

it('matches allowed hosts in any case', async () => {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  const allowedHosts = ['Sandbox.Example']
  const { sandbox } = await startSandbox({ database: target, historyDays: 0, allowedHosts })
  onTestFinished(() => sandbox.stop())
  const status = await new Promise((resolve, reject) => {
    const headers = { host: 'sandbox.example', authorization: `Bearer ${sandbox.session}` }
    request(`${sandbox.url}/_sandbox/api/clock`, { headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
  expect(status).toBe(200)
})
