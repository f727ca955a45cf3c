import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { root } from '../../repo/check/workspaces.ts'
import { freePort } from '../../support/free-port.ts'
import { startCommand } from '../../support/start-program.ts'
import { until } from '../../support/until.ts'

/** Builds the site as `npm run docs:build` does, and serves it as a host would. */
export async function serveSite(): Promise<{ url: string; stop(): Promise<void> }> {
  await promisify(execFile)('node', ['docs/.vitepress/run.mjs', 'build'], { cwd: root })
  const port = await freePort()
  const vitepress = 'docs/node_modules/vitepress/bin/vitepress.js'
  const server = startCommand('node', [vitepress, 'preview', 'docs', '--port', String(port)], {
    cwd: root,
  })
  const url = `http://localhost:${port}`
  await until('the site is served', async () => {
    const { ok } = await fetch(url).catch(() => ({ ok: false }))
    return ok
  })
  return {
    url,
    async stop() {
      await server.stop()
    },
  }
}
