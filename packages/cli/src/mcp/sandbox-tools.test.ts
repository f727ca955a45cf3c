import { expect, it } from 'vitest'
import { redirectStatuses, serveRedirect } from '../../../../test/support/serve-redirect.ts'
import { readSandboxLink } from '../dev/running-feed.ts'
import { sandboxTools } from './sandbox-tools.ts'

it.each(redirectStatuses)('does not follow a redirect with %i with its session', async (status) => {
  const { url, received, followed } = await serveRedirect(status)
  const context = {
    env: {},
    verbs: [],
    signal: new AbortController().signal,
    inbox: {},
    by: 'tests',
    remote: false,
  }
  const tools = sandboxTools(readSandboxLink(`${url}/open?session=session-0123456789`))
  for (const name of ['feed_sandbox_events', 'feed_sandbox_publish']) {
    const tool = tools.find((one) => one.name === name)
    await expect(tool?.answer({}, context)).rejects.toMatchObject({ code: 'no_sandbox' })
  }
  const headers = { authorization: 'Bearer session-0123456789' }
  expect(received).toMatchObject([{ headers }, { headers }])
  expect(followed).toEqual([])
})
