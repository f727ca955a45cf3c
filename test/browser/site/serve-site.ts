import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { root } from '../../repo/check/workspaces.ts'
import { until } from '../../support/until.ts'

/** Builds the site as `npm run docs:build` does, and serves it as a host would. */
export async function serveSite(): Promise<{ url: string; stop(): Promise<void> }> {
  await promisify(execFile)('node', ['docs/.vitepress/run.mjs', 'build'], { cwd: root })
  const port = await freePort()
  const server = spawn(
    'node',
    ['docs/node_modules/vitepress/bin/vitepress.js', 'preview', 'docs', '--port', String(port)],
    { cwd: root, stdio: 'ignore' },
  )
  const url = `http://localhost:${port}`
  await until('the site is served', async () => {
    const { ok } = await fetch(url).catch(() => ({ ok: false }))
    return ok
  })
  return {
    url,
    async stop() {
      server.kill()
      await once(server, 'exit')
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}
