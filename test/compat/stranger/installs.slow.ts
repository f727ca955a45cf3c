import { writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fixture } from '@feed-receiver/sender'
import { it, type TestContext } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'
import { findRuntime } from '../../repo/run/runtimes.mjs'
import { runCommand, type Outcome } from '../../support/run-command.ts'
import { readProgram } from '../packed/project.ts'
import { useStranger, type Stranger } from './stranger.ts'

type Command = [string, ...string[]]

interface Manager {
  title: string
  install: Command
  /** Starts a program. @default `node` */
  node?: Command
  /** @default the one in `node_modules` */
  tsc?: Command
  /** Its configuration, by file. */
  files?: Record<string, string>
  env?: NodeJS.ProcessEnv
  /** The framework of the app. @default 'express' */
  framework?: keyof typeof frameworks
  /** Whether the app has the types of its framework. @default true */
  hasTypes?: boolean
  /** The code of the error with which a CommonJS program fails there. */
  requireError?: string
}

const tools = join(root, 'test/support/tools/stranger/node_modules')
const pnpm: Command = [join(tools, '.bin/pnpm'), 'install']
// A cache of its own, because Yarn 1 corrupts one that several processes fill.
const yarn1Options = ['install', '--no-lockfile', '--cache-folder=.cache']
const yarn1: Command = ['node', join(tools, 'yarn/bin/yarn.js'), ...yarn1Options]
const yarn4: Command = ['node', join(tools, '@yarnpkg/cli-dist/bin/yarn.js')]

const notHoisted = { '.npmrc': 'hoist=false\npublic-hoist-pattern[]=\nshamefully-hoist=false\n' }
const yarnrc = {
  enableGlobalCache: false,
  enableTelemetry: false,
  // Yarn 4 rejects versions that are younger than a day.
  npmPreapprovedPackages: ['@feed-receiver/*'],
  unsafeHttpWhitelist: ['127.0.0.1'],
}
const nodeModules = { '.yarnrc.yml': JSON.stringify({ ...yarnrc, nodeLinker: 'node-modules' }) }
const plugAndPlay = {
  install: [...yarn4, 'install'] satisfies Command,
  node: [...yarn4, 'node'] satisfies Command,
  tsc: [...yarn4, 'tsc'] satisfies Command,
  // Without the fallback, a package finds only its own dependencies.
  files: { '.yarnrc.yml': JSON.stringify({ ...yarnrc, pnpFallbackMode: 'none' }) },
}
const onNode = (version: 20 | 24) => ({
  PATH: `${dirname(findRuntime(`node-${version}`))}${delimiter}${process.env.PATH}`,
})

const managers: Manager[] = [
  { title: 'npm', install: ['npm', 'install'] },
  { title: 'npm --legacy-peer-deps', install: ['npm', 'install', '--legacy-peer-deps'] },
  { title: 'pnpm', install: pnpm },
  { title: 'pnpm without hoisting', install: pnpm, files: notHoisted },
  {
    title: 'pnpm without hoisting, and without types of Express',
    install: pnpm,
    files: notHoisted,
    hasTypes: false,
  },
  { title: 'pnpm without hoisting, on Koa', install: pnpm, files: notHoisted, framework: 'koa' },
  {
    title: 'pnpm without hoisting, and without types of Koa',
    install: pnpm,
    files: notHoisted,
    framework: 'koa',
    hasTypes: false,
  },
  { title: 'Yarn 1 on Node 24', install: yarn1, env: onNode(24) },
  {
    title: 'Yarn 1 --ignore-engines on Node 20',
    install: [...yarn1, '--ignore-engines'],
    env: onNode(20),
  },
  { title: 'Yarn 4 with node_modules', install: [...yarn4, 'install'], files: nodeModules },
  { title: "Yarn 4 with Plug'n'Play on Node 24", ...plugAndPlay, env: onNode(24) },
  {
    title: "Yarn 4 with Plug'n'Play on Node 20, except for require",
    ...plugAndPlay,
    env: onNode(20),
    // Node 20 loads an ES module in `require` without the loader of Plug'n'Play.
    requireError: 'ERR_MODULE_NOT_FOUND',
  },
]

const shared = {
  '@feed-receiver/core': 'latest',
  '@feed-receiver/inbox': 'latest',
  '@feed-receiver/sender': 'latest',
  '@types/node': '^20',
  typescript: '~5.9',
}

const app = readProgram('inbox-app.mjs')
const requiring = `const { createReceiver } = require('@feed-receiver/core')
const { createInbox } = require('@feed-receiver/inbox')
console.log(typeof createReceiver, typeof createInbox)
`

const frameworks = {
  express: {
    dependencies: { '@feed-receiver/express': 'latest', express: '^5' },
    types: { '@types/express': '^5' },
    adapter: 'toExpress',
    app,
    mount: `import express from 'express'
import { handler } from './app.mjs'

express().post('/webhooks/feed', handler)
`,
  },
  koa: {
    dependencies: { '@feed-receiver/koa': 'latest', koa: '^3' },
    types: { '@types/koa': '^3' },
    adapter: 'toKoa',
    app: app
      .replace("{ toExpress } from '@feed-receiver/express'", "{ toKoa } from '@feed-receiver/koa'")
      .replace("express from 'express'", "Koa from 'koa'")
      .replace('express()', 'new Koa()')
      .replace("app.post('/webhooks/feed', toExpress(receiver))", 'app.use(toKoa(receiver))'),
    mount: `import Koa from 'koa'
import { handler } from './app.mjs'

new Koa().use(handler)
`,
  },
}

const handled = `delivered\nhandled ${fixture('outage_started').id}\n`

it.concurrent.for(managers)(
  'runs and compiles an app that is installed by $title',
  async (manager, context) => {
    const { expect } = context
    const stranger = await createApp(manager, context)
    const { code, stdout, stderr } = await install(manager, stranger)
    expect(code, stdout + stderr).toBe(0)

    const { run } = stranger
    const { node = ['node'], tsc = ['node', 'node_modules/typescript/bin/tsc'] } = manager
    const { requireError, hasTypes = true } = manager
    const required =
      requireError === undefined
        ? printed('function function\n')
        : { code: 1, stdout: '', stderr: expect.stringContaining(requireError) }
    expect(await run(...node, 'app.mjs')).toEqual(printed(handled))
    expect(await run(...node, 'app.cjs')).toEqual(required)
    const strict = ['--noEmit', '--module', 'nodenext', '--strict', '--skipLibCheck']
    const files = hasTypes ? ['app.mts', 'mount.mts'] : ['app.mts']
    expect(await run(...tsc, ...strict, ...files)).toEqual(printed(''))
  },
)

it.concurrent('is not installed by Yarn 1 on Node 20, because of pg-boss', async (context) => {
  const { expect } = context
  const manager: Manager = { title: 'Yarn 1 on Node 20', install: yarn1, env: onNode(20) }
  const stranger = await createApp(manager, context)
  const incompatible = /error pg-boss@\S+: The engine "node" is incompatible/
  const rejected = { code: 1, stderr: expect.stringMatching(incompatible) }
  expect(await install(manager, stranger)).toMatchObject(rejected)
})

async function createApp(
  { title, files, env, framework = 'express', hasTypes = true }: Manager,
  context: TestContext,
): Promise<Stranger> {
  const stranger = await useStranger(context, `installs-${title.replaceAll(/\W+/g, '-')}`, env)
  const { dependencies, types, ...programs } = frameworks[framework]
  const all = { ...shared, ...dependencies, ...(hasTypes && types) }
  const contents = {
    'package.json': JSON.stringify({ name: 'app', private: true, dependencies: all }),
    'app.mjs': programs.app,
    'app.cjs': requiring,
    'app.mts': programWith(framework),
    'mount.mts': programs.mount,
  }
  for (const [path, text] of Object.entries({ ...contents, ...files })) {
    await writeFile(join(stranger.folder, path), text)
  }
  return stranger
}

/** A program that uses an adapter, whether there are types of its framework or not. */
function programWith(framework: keyof typeof frameworks): string {
  const { adapter } = frameworks[framework]
  return `import { createReceiver } from '@feed-receiver/core'
import { ${adapter} } from '@feed-receiver/${framework}'
import { createInbox } from '@feed-receiver/inbox'

const receiver = createReceiver({ secrets: ['feed_whsec_'], inbox: createInbox() })
export const handler = ${adapter}(receiver)
// @ts-expect-error a handler is not a number, unless its type is any
export const handlerAsNumber: number = ${adapter}(receiver)
`
}

/** Has time for the downloads, because the manager's cache is empty. */
function install(
  { install: [command, ...args] }: Manager,
  { folder, env }: Stranger,
): Promise<Outcome> {
  return runCommand(command, args, { cwd: folder, env, timeoutMs: 280_000 })
}

function printed(stdout: string): Outcome {
  return { code: 0, stdout, stderr: '' }
}
