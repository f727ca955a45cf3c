import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'
import { Queue } from 'bullmq'
import express from 'express'
import { Client } from 'pg'
import {
  runChecks,
  type CheckReport,
} from '../../../../packages/cli/src/conformance/check/run-checks.ts'
import type { CheckResult } from '../../../../packages/cli/src/conformance/check/verdict.ts'
import { code, table } from '../../../../docs/.vitepress/reference/markdown.ts'
import { contenderApp } from '../../contenders/app.ts'
import { queueName } from '../../contenders/contender.ts'
import { contenderNames, contenders, type ContenderName } from '../../contenders/contenders.ts'
import { openContender } from '../../contenders/open-contender.ts'
import { createTestDatabase, startPostgres } from '../../../support/postgres.ts'
import { startRedis } from '../../../support/redis.ts'
import type { Part } from '../part.ts'

const secrets = ['feed_whsec_of_the_report_0123456789', 'feed_whsec_of_the_report_to_come']
const [secret = '', secondSecret = ''] = secrets

export const conformancePart: Part = {
  name: 'conformance',
  title: 'What the service may send',
  intro:
    'Every check of `feed-receiver check` against each receiver: forged, odd, late, repeated and unusable deliveries, of which each has one right answer. All of them run, those about rotation, restarts and what is stored included.',
  async run({ say }) {
    const reports: [ContenderName, CheckReport][] = []
    for (const contender of contenderNames.filter((name) => name !== 'bullmq-always')) {
      say(`checking ${contender}`)
      reports.push([contender, await checkContender(contender)])
    }
    const [, ours] = reports.find(([contender]) => contender === 'feed-receiver') ?? []
    return {
      problems: ours?.score.percent === 100 ? [] : ['This kit does not pass every check.'],
      columns: [{ title: 'Checks passed', of: passedOf(reports) }],
      body: render(reports),
      data: Object.fromEntries(reports),
    }
  },
}

function passedOf(reports: readonly [ContenderName, CheckReport][]) {
  return Object.fromEntries(
    reports.map(([contender, { score, results }]) => [
      contender,
      `${score.passed} of ${results.length}`,
    ]),
  )
}

function render(reports: readonly [ContenderName, CheckReport][]): string {
  const rows = reports.map(([name, { score, results }]) => {
    const namesOf = (outcome: CheckResult['outcome']) =>
      results
        .filter((result) => result.outcome === outcome)
        .map((result) => code(result.name))
        .join(', ') || '–'
    const counts = [score.passed, score.warnings, score.failed + score.blocked, score.notRun]
    return [contenders[name].title, ...counts.map(String), namesOf('warning'), namesOf('failed')]
  })
  const head = ['Receiver', 'Passed', 'Warned', 'Failed', 'Not run', 'Warnings', 'Failures']
  return table(head, rows)
}

async function checkContender(name: ContenderName): Promise<CheckReport> {
  const postgres = await startPostgres()
  const redis = contenders[name].redis && (await startRedis(contenders[name].redis))
  const { url: databaseUrl } = await createTestDatabase(postgres)
  const open = () => openApp(name, databaseUrl, redis?.url)
  let app = await open()
  let server = await listen(app.listener, 0)
  const { port } = server.address() as AddressInfo
  try {
    return await runChecks({
      url: `http://127.0.0.1:${port}/webhooks/feed`,
      secret,
      secondSecret,
      storedCount: redis ? countInRedis(redis.url) : countRows(databaseUrl, name),
      async restart() {
        await close(server)
        await app.stop()
        app = await open()
        server = await listen(app.listener, port)
      },
    })
  } finally {
    await close(server)
    await app.stop()
    await redis?.stop()
    await postgres.stop()
  }
}

interface App {
  listener: RequestListener
  stop(): Promise<void>
}

async function openApp(
  name: ContenderName,
  databaseUrl: string,
  redisUrl: string | undefined,
): Promise<App> {
  if (name === 'feed-receiver') {
    const inbox = createInbox({ database: databaseUrl })
    await inbox.start()
    const receiver = createReceiver({ secrets, inbox, observe() {} })
    const listener = express().post('/webhooks/feed', toExpress(receiver))
    return { listener, stop: () => inbox.stop() }
  }
  const { keep, stop } = await openContender(name, { name, databaseUrl, redisUrl })
  return { listener: contenderApp({ keep, secrets: () => secrets }), stop }
}

function countRows(databaseUrl: string, name: ContenderName) {
  const text =
    name === 'feed-receiver'
      ? 'select count(*)::int as count from feed_inbox.entry where event_id = $1'
      : 'select count(*)::int as count from event where id = $1'
  return async (id: string) => {
    const client = new Client({ connectionString: databaseUrl })
    await client.connect()
    try {
      const { rows } = await client.query<{ count: number }>(text, [id])
      return rows[0]?.count ?? 0
    } finally {
      await client.end()
    }
  }
}

function countInRedis(url: string) {
  return async (id: string) => {
    const queue = new Queue(queueName, { connection: { url } })
    try {
      return (await queue.getJob(id)) ? 1 : 0
    } finally {
      await queue.close()
    }
  }
}

async function listen(listener: RequestListener, port: number): Promise<Server> {
  const server = createServer(listener).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function close(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
