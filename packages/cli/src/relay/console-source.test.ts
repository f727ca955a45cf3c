import { expect, it } from 'vitest'
import { redirectStatuses, serveRedirect } from '../../../../test/support/serve-redirect.ts'
import { consoleSource } from './console-source.ts'

it.each(redirectStatuses)('does not follow a redirect with %i with its token', async (status) => {
  const { url, received, followed } = await serveRedirect(status)
  const source = consoleSource(new URL(url), 'console-token-0123456789')
  await expect(source.find({ filter: {} }, 1)).rejects.toMatchObject({ code: 'no_console' })
  expect(received).toMatchObject([
    { headers: { authorization: 'Bearer console-token-0123456789' } },
  ])
  expect(followed).toEqual([])
})
