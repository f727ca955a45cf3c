import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'
import { overSockets } from '../../contract/harness.ts'
import { openPlatformApp } from './platform-app.ts'

it('answers 403 from the development server of Nuxt for an unknown host', async () => {
  // Beside the program that is being built.
  const folder = join(inject('platforms').nuxt, 'nuxt-dev')
  cpSync(join(root, 'examples/platforms/nuxt'), folder, { recursive: true })
  const program = openPlatformApp('nuxt-dev', 'contract-feed.ts', 'server/feed.ts', 'nuxt')
  const args = ['dev', '--no-fork', '--host', '127.0.0.1', '--port', '0']
  // In a test it would not print its address.
  const env = { NODE_ENV: 'development', TEST: undefined, VITEST: undefined }
  const child = program.start('nuxt/bin/nuxt.mjs', args, env)
  onTestFinished(async () => void (await child.stop()))
  const port = Number(/http:\S+:(\d+)/.exec(await child.nextLine('http:'))?.[1])
  const { send } = overSockets({ port, close: async () => {} })
  const answer = await send({ headers: { host: 'abcdefg.tunnel.example' } })
  expect(answer.status).toBe(403)
  expect(answer.body).toContain('vite.config')
})
