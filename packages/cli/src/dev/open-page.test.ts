import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { createOutput } from '../output/output.ts'
import { openPage } from './open-page.ts'

it('opens no page after the app has ended', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const out = createOutput({ stdout, stderr, isJson: false })
  const env = { DISPLAY: ':0' }
  const signal = AbortSignal.abort()
  const createUrl = () => expect.unreachable('the page is opened')
  expect(await openPage(createUrl, { out, env, canAsk: true, signal })).toBe(false)
})
