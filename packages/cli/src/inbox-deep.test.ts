import { createSender, fixture } from '@feed-receiver/sender'
import { expect, it } from 'vitest'
import { runMain } from '../test/run-main.ts'
import { startApp } from '../test/start-app.ts'

const secret = 'feed_whsec_inboxdeep0123456789abcdef'
const { id, ...event } = fixture('outage_started')

it('inbox show prints an event that is too deep for JSON.stringify, and its bytes', async () => {
  const app = await startApp({ kind: 'postgres', secret })
  const depth = 100_000
  const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
  const body = JSON.stringify({ id, ...event, deep: 0 }).replace('"deep":0', `"deep":${deep}`)
  await using sender = createSender({ secret })
  const { status } = await sender.attempt(Buffer.from(body), { to: app.url, id })
  expect(status).toBe(202)

  const show = ['inbox', 'show', id, ...app.databaseArguments]
  expect(await runMain(show)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/state +received.*nested too deeply.*--body/s),
  })
  const { code, stdout } = await runMain([...show, '--json'])
  expect({ code, entry: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    entry: { event: null, bodyBase64: Buffer.from(body).toString('base64') },
  })
  expect(await runMain([...show, '--body'])).toMatchObject({ code: 0, stdout: body })
})
