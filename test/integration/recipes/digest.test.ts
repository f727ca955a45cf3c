import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fixture } from '@feed-receiver/sender'
import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { useSandbox } from '../../../packages/sandbox/test/use-sandbox.ts'
import { createDigest, sendDigest } from '../../../templates/recipes/digest/index.ts'
import { renderMail } from '../../../templates/recipes/digest/render.ts'
import { sendFromEnv, type SendMail } from '../../../templates/recipes/digest/send.ts'
import { describeOnEach, embedded, useDatabase } from '../../support/databases.ts'
import { receiveFeed, type ReceivingApp } from './receive-feed.ts'

interface Mail {
  key: unknown
  subject: string
  markdown: string
  html: string
}

describeOnEach('the recipe digest, on %s,', (kind) => {
  const sandbox = useSandbox({ historyDays: 0 })
  const database = useDatabase(kind, 'inbox')
  const mails: Mail[] = []
  let statuses: number[] = []
  let app: ReceivingApp
  let boss: PgBoss
  const server = createServer((request, response) => void take(request, response))
  const send = () => {
    const { port } = server.address() as AddressInfo
    return sendFromEnv({ DIGEST_WEBHOOK_URL: `http://127.0.0.1:${port}/` })
  }

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    boss = new PgBoss({ ...database().bossOptions(), schema: 'app_jobs' })
    await boss.start()
    const { handlers } = await createDigest({ database: database(), boss, send: send() })
    app = await receiveFeed(sandbox(), database(), handlers)
  })
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await boss.stop()
    await app.stop()
  })

  it('sends each change in one mail, also if sending fails', embedded, async () => {
    const { control } = sandbox().sandbox
    const first = await publish('model_release', 'First')
    await publish('pricing_changed', 'Early', 'unconfirmed')
    const retracted = await publish('research_published', 'Never mind')
    await app.untilHandled({ pulls: true })
    await control.changeEvent({ to: 'retract', id: retracted.id })
    await app.untilHandled({ pulls: true })

    statuses = [503]
    await expect(sendDigest(database(), send())).rejects.toThrow(/answered 503/)
    const second = await publish('pricing_changed', 'Second')
    await app.untilHandled()
    await sendDigest(database(), send())
    await sendDigest(database(), send())
    expect(mails.map(({ key, subject }) => [key, subject])).toEqual([
      ['digest/1', '1 change at AI providers'],
      ['digest/2', '1 change at AI providers'],
    ])
    expect(mails[0]?.markdown).toMatch(
      /^# 1 change at AI providers\n\n## Models\n\n- one: \[First\]/,
    )
    expect(mails[0]?.html).toContain(`<a href="${first.sourceUrl}">First</a>`)
    expect(mails[1]?.markdown).toContain(`[Second](<${second.sourceUrl}>)`)
  })

  it('sends a mail also if an earlier one is rejected for good', async () => {
    const rejected = async ({
      idempotencyKey,
      subject,
      markdown,
      html,
    }: Parameters<SendMail>[0]) => {
      if (markdown.includes('Too large')) throw new Error('The mail service answered 413.')
      mails.push({ key: idempotencyKey, subject, markdown, html })
    }
    mails.length = 0
    await publish('model_release', 'Too large')
    await app.untilHandled()
    await expect(sendDigest(database(), rejected)).rejects.toThrow(/answered 413/)
    await publish('model_release', 'Small')
    await app.untilHandled()
    await expect(sendDigest(database(), rejected)).rejects.toThrow(/answered 413/)
    expect(mails.map(({ markdown }) => markdown.includes('[Small]'))).toEqual([true])
    await sendDigest(database(), send())
  })

  it('plans no mail on a retry, and gives up a mail after the last one', async () => {
    const reject: SendMail = () => Promise.reject(new Error('The mail service answered 413.'))
    const attempt = (retryCount: number) =>
      sendDigest(database(), reject, { retryCount, retryLimit: 2 })
    const given = vi.spyOn(console, 'error').mockReturnValue()
    mails.length = 0
    await publish('model_release', 'Rejected for good')
    await app.untilHandled()
    await expect(attempt(0)).rejects.toThrow(/answered 413/)
    await publish('model_release', 'Next week')
    await app.untilHandled()
    await expect(attempt(1)).rejects.toThrow(/answered 413/)
    expect(given).not.toHaveBeenCalled()
    await expect(attempt(2)).rejects.toThrow(/answered 413/)
    expect(given.mock.calls).toEqual([
      [
        expect.stringMatching(/^The mail digest\/\d+ was given up\.$/),
        expect.objectContaining({ message: 'The mail service answered 413.' }),
      ],
    ])
    await sendDigest(database(), send())
    expect(mails.map(({ subject }) => subject)).toEqual(['1 change at AI providers'])
    expect(mails[0]?.markdown).toContain('[Next week]')
  })

  it('plans a mail on a retry if the first run could not', async () => {
    mails.length = 0
    await publish('model_release', 'Planned late')
    await app.untilHandled()
    await sendDigest(database(), send(), { retryCount: 1, retryLimit: 10 })
    expect(mails).toHaveLength(1)
  })

  it('takes back what an earlier mail had, once', async () => {
    const { control } = sandbox().sandbox
    const wrong = await publish('model_release', 'Wrong')
    await app.untilHandled({ pulls: true })
    await sendDigest(database(), send())
    await control.changeEvent({ to: 'retract', id: wrong.id })
    await app.untilHandled({ pulls: true })
    mails.length = 0
    await sendDigest(database(), send())
    await sendDigest(database(), send())
    expect(mails).toHaveLength(1)
    expect(mails[0]?.markdown).toContain('## Retracted since an earlier mail\n\n- one: [Wrong]')
  })

  it('is scheduled in pg-boss, and sent by its worker', async () => {
    expect(await boss.getSchedules('digest')).toMatchObject([
      { cron: '0 8 * * 1', timezone: 'UTC' },
    ])
    await publish('model_release', 'By the worker')
    await app.untilHandled()
    mails.length = 0
    await boss.offWork('digest')
    await boss.send('digest', null)
    // A new worker looks for jobs at once.
    await createDigest({ database: database(), boss, send: send() })
    await expect.poll(() => mails.length).toBe(1)
    expect(mails[0]?.markdown).toContain('By the worker')
  })

  it('has a pg-boss of its own if it gets none', async () => {
    const digest = await createDigest({ database: database(), send: send() })
    onTestFinished(() => digest.stop())
    expect(Object.keys(digest.handlers)).toEqual(['*'])
  })

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const status = statuses.shift() ?? 200
    if (status === 200) {
      const mail = JSON.parse(text) as Omit<Mail, 'key'>
      mails.push({ ...mail, key: request.headers['idempotency-key'] })
    }
    response.writeHead(status).end()
  }

  async function publish(eventType: string, title: string, confirmation?: 'unconfirmed') {
    return await sandbox().sandbox.control.composeEvent({
      eventType,
      providerSlug: 'one',
      title,
      ...(confirmation && { confirmationState: confirmation }),
    })
  }
})

describe('a mail', () => {
  const { created_at, data } = fixture('model_release')
  const item = {
    category: 'models',
    provider: 'evil',
    title: data.title,
    sourceUrl: data.source_url,
    observedAt: new Date(created_at),
    isTakenBack: false,
  }
  const renderOne = (title: string, sourceUrl: string) =>
    renderMail({ id: 1, items: [{ ...item, title, sourceUrl }] })

  it('has no markup of third parties', () => {
    const title = '<img src=x onerror=alert(1)>](javascript:alert(1))\n# **Head** "&'
    const { markdown, html } = renderOne(title, 'https://a.example/?q=">&<b>')
    expect(markdown.split('\n').at(-1)).toBe(
      `- evil: [\\<img src=x onerror=alert\\(1\\)\\>\\]\\(javascript\\:alert\\(1\\)\\) \\# \\*\\*Head\\*\\* "\\&](<https://a.example/?q=%22%3E&%3Cb%3E>), 2026-09-01`.replace(
        '2026-09-01',
        created_at.slice(0, 10),
      ),
    )
    expect(html).toContain(
      '<a href="https://a.example/?q=%22%3E&amp;%3Cb%3E">&lt;img src=x onerror=alert(1)&gt;](javascript:alert(1)) # **Head** &quot;&amp;</a>',
    )
  })

  it('links web pages only', () => {
    const { markdown, html } = renderOne('A title', 'javascript:alert(1)')
    expect(markdown).not.toContain('](')
    expect(html).not.toContain('href')
  })
})
