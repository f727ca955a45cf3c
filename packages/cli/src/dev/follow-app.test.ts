import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { createSandbox } from '@feed-receiver/sandbox'
import { expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../../../test/support/databases.ts'
import { createOutput } from '../output/output.ts'
import { createFollowing } from './follow-app.ts'

const secret = 'feed_whsec_of_an_app_that_comes_and_goes'

it('follows an app that disappears between the search and the test, without a leak', async () => {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  const sandbox = createSandbox({ database: target, port: 0, historyDays: 0 })
  await sandbox.start()
  onTestFinished(() => sandbox.stop())
  const warnings: string[] = []
  const warn = ({ name }: Error) => warnings.push(name)
  process.on('warning', warn)
  onTestFinished(() => void process.off('warning', warn))

  let tests = 0
  const app = createServer((request, response) => {
    const isSandbox = request.headers['user-agent']?.includes(sandbox.url)
    if (isSandbox) tests += 1
    if (isSandbox && tests <= 12) request.destroy()
    else response.writeHead(202).end()
  })
  await once(app.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void app.close())

  const stopping = new AbortController()
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const env = { PORT: String((app.address() as AddressInfo).port) }
  const { follow } = createFollowing({
    out: createOutput({ stdout, stderr, isJson: false }),
    env,
    ownEnv: env,
    input: Readable.from([]),
    canAsk: false,
    signal: stopping.signal,
    verbs: [],
  })
  await follow({
    control: sandbox.control,
    url: undefined,
    secret,
    onLive: async () => stopping.abort(),
  })
  expect(tests).toBe(13)
  expect(String(stdout.read())).toContain('The feed is live.')
  expect(warnings).toEqual([])
}, 60_000)
