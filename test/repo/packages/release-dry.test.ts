import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../check/workspaces.ts'
import { runCommand } from '../../support/run-command.ts'

const releaseDry = (...args: string[]) =>
  runCommand(process.execPath, ['test/repo/run/release-dry.mjs', ...args], { cwd: root })

it.each([
  [['--kept'], "Unknown option '--kept'."],
  [['--keep', '--port', 'x'], '--port must be a number up to 65535, not x.'],
  [['--keep', '--port', '65536'], '--port must be a number up to 65535, not 65536.'],
  [['--port', '4873'], '--port needs --keep.'],
])('rejects %j before it builds anything', async (args, problem) => {
  const stderr = `${problem} See: npm run release:dry -- --help\n`
  expect(await releaseDry(...args)).toEqual({ code: 2, stdout: '', stderr })
})

it('rejects a port that is in use', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const stderr = `The registry cannot listen on port ${port} (EADDRINUSE). Choose another with --port.\n`
  expect(await releaseDry('--keep', '--port', `${port}`)).toEqual({ code: 2, stdout: '', stderr })
})

it('lists its options', async () => {
  const { code, stdout } = await releaseDry('--help')
  expect(code).toBe(0)
  for (const option of ['--keep', '--port <number>', '--help']) expect(stdout).toContain(option)
})
