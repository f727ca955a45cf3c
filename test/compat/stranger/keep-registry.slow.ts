import { existsSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'
import { startCommand } from '../../support/start-program.ts'
import { useStranger } from './stranger.ts'

it.for(['SIGINT', 'SIGTERM'] as const)(
  'release:dry --keep has the packages until %s to npm, and leaves nothing behind',
  async (signal, context) => {
    const kept = startCommand('npm', ['run', 'release:dry', '--', '--keep'], {
      cwd: root,
      // As from a terminal, Ctrl+C reaches all processes of the command, and other signals only npm.
      isGroup: signal === 'SIGINT',
    })
    onTestFinished(() => kept.kill())
    await kept.untilPrinted('Press Ctrl+C')
    const pattern = /export npm_config_registry=(\S+) npm_config_cache=(\S+)\n/
    const [, url = '', cache = ''] = pattern.exec(kept.printed) ?? []

    const pasted = { npm_config_registry: url, npm_config_cache: cache }
    const { run } = await useStranger(context, `kept-until-${signal}`, pasted)
    const shown = ['view', 'create-feed-receiver@latest', 'dist.tarball']
    expect((await run('npm', ...shown)).stdout).toContain(`${url}/create-feed-receiver/-/`)
    const version = await run('npx', '--yes', 'feed-receiver', '--version')
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) })
    expect(existsSync(cache)).toBe(true)

    await kept.stop(signal)
    await expect.poll(() => existsSync(cache)).toBe(false)
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  },
)
