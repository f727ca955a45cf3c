/**
 * How long it takes to create an app: the files alone, and from `npm create` to the first delivery
 * that the app accepts, with the packages in npm's cache. Parts: the frameworks.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createSender, fixture } from '@feed-receiver/sender'
import { buildAndPack } from '../../compat/packed/build-and-pack.ts'
import { mustRun } from '../../support/run-command.ts'
import { startCommand } from '../../support/start-program.ts'
import { publishPackages } from '../../compat/stranger/publish-packages.ts'
import { strangerEnv } from '../../compat/stranger/stranger-env.ts'
import { figureOf, type Figure } from '../figure.ts'
import { freePort } from '../../support/free-port.ts'

const frameworks = ['express', 'koa', 'fastify', 'next', 'hono', 'nest']
const rounds = 3

export async function measure(
  say: (line: string) => void,
  parts: readonly string[],
): Promise<Figure[]> {
  const home = await mkdtemp(join(tmpdir(), 'feed-receiver-bench-create-'))
  const registry = await publishPackages(Object.values(await buildAndPack(home)), home)
  const env = strangerEnv(registry.url, home)
  try {
    const figures: Figure[] = []
    for (const framework of frameworks) {
      if (parts.length > 0 && !parts.includes(framework)) continue
      const alone: number[] = []
      const whole: number[] = []
      for (let round = 0; round <= rounds; round += 1) {
        say(round === 0 ? `${framework}: filling the cache` : `${framework}: round ${round}`)
        const folder = join(home, `${framework}-${round}`)
        await mkdir(folder)
        const seconds = { alone: await createAlone(folder, framework, env), whole: 0 }
        seconds.whole = await createAndRun(folder, framework, env)
        await rm(folder, { recursive: true })
        if (round === 0) continue
        alone.push(seconds.alone)
        whole.push(seconds.whole)
      }
      figures.push(
        figureOf(`create: files for ${framework}`, 's', alone, { atMost: 1 }),
        figureOf(`create: ${framework} to its first delivery`, 's', whole, { atMost: 60 }),
      )
    }
    return figures
  } finally {
    await registry.stop()
    await rm(home, { recursive: true, force: true })
  }
}

/** The time of the command itself, without npm. */
async function createAlone(
  folder: string,
  framework: string,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const bin = new URL('../../../packages/create-feed-receiver/dist/bin.js', import.meta.url)
  const templates = new URL('../../../packages/create-feed-receiver/', import.meta.url).pathname
  await mustRun('node', ['copy-templates.mjs'], { cwd: templates })
  const startedAt = performance.now()
  const args = [bin.pathname, 'alone', '--template', framework, '--no-install']
  await mustRun('node', args, { cwd: folder, env })
  return (performance.now() - startedAt) / 1000
}

async function createAndRun(
  folder: string,
  framework: string,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const port = await freePort()
  const startedAt = performance.now()
  const create = ['create', 'feed-receiver@latest', 'app', '--', '--template', framework, '--yes']
  await mustRun('npm', create, { cwd: folder, env })
  const cwd = join(folder, 'app')
  const app = startCommand('npm', ['run', 'dev:app'], {
    cwd,
    env: { ...env, PORT: String(port) },
    isGroup: true,
  })
  try {
    await untilAccepted(port, await readFile(join(cwd, '.env'), 'utf8'))
    return (performance.now() - startedAt) / 1000
  } finally {
    await app.stop('SIGKILL')
  }
}

async function untilAccepted(port: number, env: string): Promise<void> {
  const secret = /^FEED_SIGNING_SECRET=(.+)$/m.exec(env)?.[1] ?? ''
  await using sender = createSender({ secret })
  const to = `http://127.0.0.1:${port}/webhooks/feed`
  for (;;) {
    const { status } = await sender.attempt(fixture('outage_started'), { to })
    if (status === 202 || status === 200) return
    await delay(50)
  }
}
