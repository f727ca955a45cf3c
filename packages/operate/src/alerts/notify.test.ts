import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { redirectStatuses, serveRedirect } from '../../../../test/support/serve-redirect.ts'
import { toSlack, toStderr, toWebhook, type Alert } from './index.ts'

const opened: Alert = {
  id: 12,
  rule: 'dead',
  subject: '<!channel> & co',
  state: 'open',
  source: 'feed',
  message: 'Dead entries of type <!channel> & co: 3.',
  fix: 'Run `feed-receiver inbox retry <event id>`.',
  isOptional: false,
  openedAt: '2026-11-02T10:00:00.000Z',
  closedAt: null,
  idempotencyKey: 'feed/12/open',
}
const closed: Alert = {
  ...opened,
  state: 'closed',
  closedAt: '2026-11-02T12:05:30.000Z',
  idempotencyKey: 'feed/12/closed',
}
const signal = new AbortController().signal

interface Request {
  method: string | undefined
  url: string | undefined
  headers: IncomingHttpHeaders
  body: unknown
}

async function serve(status: number, headers = {}) {
  const requests: Request[] = []
  const server = createServer((request, response) => void answer(request, response))
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers: sent } = request
    requests.push({ method, url, headers: sent, body: await json(request) })
    response.writeHead(status, headers).end('why')
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { requests, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/hook/T0/s3cret` }
}

it('posts an alert as JSON with its key and the headers of the caller', async () => {
  const { url, requests } = await serve(204)
  await toWebhook(url, { headers: { authorization: 'Bearer token' } })(opened, { signal })
  expect(requests).toMatchObject([
    {
      method: 'POST',
      url: '/hook/T0/s3cret',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': 'feed/12/open',
        authorization: 'Bearer token',
      },
      body: opened,
    },
  ])
})

it('posts to Slack in its format, with markup escaped', async () => {
  const { url, requests } = await serve(200)
  await toSlack(url)(opened, { signal })
  await toSlack(url)(closed, { signal })
  const [opening, closing] = requests.map(({ body }) => JSON.stringify(body))
  expect(requests[0]?.body).toEqual({
    text: ':rotating_light: *dead* on feed: Dead entries of type &lt;!channel&gt; &amp; co: 3.',
    blocks: [
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: ':rotating_light: *dead* on feed\nDead entries of type &lt;!channel&gt; &amp; co: 3.',
        },
      },
      {
        type: 'context',
        elements: [{ type: 'mrkdwn', text: 'Run `feed-receiver inbox retry &lt;event id&gt;`.' }],
      },
    ],
  })
  expect(closing).toContain('is over after 2 h 5 min')
  expect(opening + (closing ?? '')).not.toMatch(/[<>]/)
})

it.each([
  [500, {}],
  [404, {}],
  [302, {}],
])('rejects if the webhook answers %i, and shows only its host', async (status, headers) => {
  const { url, host } = await serve(status, headers)
  const failing = Promise.resolve(toSlack(url)(opened, { signal }))
  await expect(failing).rejects.toMatchObject({
    code: 'not_sent',
    message: expect.stringContaining(`Alert 12 was not sent: ${host} answered ${status}. More: `),
  })
})

it('counts the status of an answer whose connection breaks afterwards', async () => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-length': '9' }).write('ok')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const fetchAndBreak: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const [body, other] = response.body?.tee() ?? []
    server.closeAllConnections()
    await other?.pipeTo(new WritableStream()).catch(() => undefined)
    return new Response(body, response)
  }
  const notify = toWebhook(`http://127.0.0.1:${port}/`, { fetch: fetchAndBreak })
  await expect(Promise.resolve(notify(opened, { signal }))).resolves.toBeUndefined()
})

it.each(redirectStatuses)('sends no alert on after a redirect with %i', async (status) => {
  const { url, received, followed } = await serveRedirect(status)
  const headers = { 'x-api-key': 'k3y' }
  for (const notify of [toSlack(`${url}/s3cret`), toWebhook(`${url}/s3cret`, { headers })]) {
    const failing = Promise.resolve(notify(opened, { signal }))
    await expect(failing).rejects.toThrow(`answered ${status}`)
  }
  expect(received).toMatchObject([{}, { headers }])
  expect(followed).toEqual([])
})

it('shows only the host if it does not answer', async () => {
  const secret = 'http://127.0.0.1:1/s3cret'
  const failing = Promise.resolve(toWebhook(secret)(opened, { signal }))
  await expect(failing).rejects.toThrow(/^Alert 12 was not sent: 127\.0\.0\.1:1 did not answer/)
  const withUrl = () => Promise.reject(new Error(`fetch of ${secret}`))
  await expect(toWebhook(secret, { fetch: withUrl })(opened, { signal })).rejects.not.toThrow(
    's3cret',
  )
  const late = Promise.resolve(toWebhook(secret)(opened, { signal: AbortSignal.abort() }))
  await expect(late).rejects.toThrow('did not answer in time.')
})

it.each(['hooks.slack.com/s3cret', 'file:///s3cret', 'https://me:s3cret@example.com/'])(
  'rejects the URL %s without quoting it',
  (url) => {
    expect(() => toSlack(url)).toThrow('toSlack: use an http or https URL without a user name.')
    expect(() => toWebhook(url)).not.toThrow('s3cret')
  },
)

it('writes one line for an opening and one for a closing, without control characters', () => {
  const lines: string[] = []
  const notify = toStderr((line) => lines.push(line))
  notify({ ...opened, message: 'Dead entries of type \u001B[2Ja\nb\u202E: 3.' }, { signal })
  notify(closed, { signal })
  expect(lines).toEqual([
    '2026-11-02T10:00:00.000Z alert 12 opened (dead): Dead entries of type  [2Ja b : 3. ' +
      'Run `feed-receiver inbox retry <event id>`.',
    '2026-11-02T12:05:30.000Z alert 12 closed (dead) after 2 h 5 min: ' +
      'Dead entries of type <!channel> & co: 3.',
  ])
})

it('names a problem of the health by its code, as the runbook does', async () => {
  const lines: string[] = []
  const suspended = { ...opened, rule: 'problem', subject: 'pull_suspended' }
  await toStderr((line) => lines.push(line))(suspended, { signal })
  expect(lines[0]).toContain('alert 12 opened (pull_suspended): ')
})
