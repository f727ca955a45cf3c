import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../../../test/support/databases.ts'
import { openApp } from '../../test/open-app.ts'
import { startSandbox } from '../../test/use-sandbox.ts'
import type { MadeAttempt, SandboxOptions } from '../index.ts'

describe('a page in place of the control page', () => {
  it('is served to the session with the actions and the inbox', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'page-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'index.html'), '<p>another page</p>')
    await writeFile(join(folder, 'assets/page.js'), 'export {}')
    const asked: string[] = []
    const { url, session } = await open({
      page: {
        folder: pathToFileURL(`${folder}/`),
        async inbox(request) {
          asked.push(`${request.method} ${new URL(request.url).pathname}`)
          return Response.json({ said: await request.text() }, { status: 201 })
        },
      },
    })
    const headers = { authorization: `Bearer ${session}` }
    const get = (path: string) => fetch(`${url}/_sandbox/${path}`, { headers })

    expect(await (await get('')).text()).toBe('<p>another page</p>')
    expect((await get('assets/page.js')).status).toBe(200)
    expect((await get('assets/..%2Findex.html')).status).toBe(404)
    expect((await get('api/clock')).status).toBe(200)
    const posted = await fetch(`${url}/_sandbox/inbox/api/retry`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"id": 1}',
    })
    expect(posted.status).toBe(201)
    expect(await posted.json()).toEqual({ said: '{"id": 1}' })
    expect(asked).toEqual(['POST /_sandbox/inbox/api/retry'])
  })

  it('protects its inbox by the session', async () => {
    const inbox = () => Promise.reject(new Error('it was asked'))
    const { url } = await open({ page: { folder: new URL('file:///nowhere/'), inbox } })
    expect((await fetch(`${url}/_sandbox/inbox/api/entries`)).status).toBe(401)
  })
})

it('calls onAttempt after each attempt is stored', async () => {
  const attempts: MadeAttempt[] = []
  const { control } = await open({ onAttempt: (attempt) => attempts.push(attempt) })
  const app = await openApp()
  app.secrets = ['feed_whsec_of_the_app']
  await control.forwardTo({ url: app.url, secret: 'feed_whsec_of_the_app' })
  app.secrets = ['feed_whsec_of_somebody_else']
  const { id } = await control.composeEvent({ title: 'A new model' })
  await expect.poll(() => attempts.length).toBe(2)
  expect(attempts[0]).toMatchObject({ kind: 'test', result: 'accepted', attempt: 1 })
  expect(attempts[1]).toMatchObject({
    eventId: id,
    kind: 'live',
    result: 'pause',
    status: 401,
    cause: 'rejected',
    nextDelayMs: null,
  })
  expect(JSON.parse(attempts[1]?.body ?? '')).toMatchObject({ id, data: { title: 'A new model' } })
  expect(await control.listDeliveries({ eventId: id })).toMatchObject([{ state: 'rejected' }])
})

async function open(options: SandboxOptions) {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  const { sandbox } = await startSandbox({ database: target, historyDays: 0, ...options })
  onTestFinished(() => sandbox.stop())
  return sandbox
}
