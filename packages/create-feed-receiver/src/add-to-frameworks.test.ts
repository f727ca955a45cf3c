import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { haveApp } from '../test/have-app.ts'
import { runMain } from '../test/run-create.ts'
import { findApp } from './find-app.ts'
import { planAddition } from './plan-addition.ts'

interface Given {
  type?: 'module'
  /** Package names. */
  has: string[]
  hasAsTools?: string[]
  files: Record<string, string>
}

function plan({ type, has, hasAsTools = [], files }: Given) {
  const versions = (names: string[]) => Object.fromEntries(names.map((name) => [name, '*']))
  const named = { dependencies: versions(has), devDependencies: versions(hasAsTools) }
  const cwd = haveApp({ ...(type && { type }), ...named }, files)
  const addition = planAddition(cwd, findApp(cwd, undefined))
  const manifest = addition.files.get('package.json') ?? ''
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> }
  return { ...addition, added: Object.keys(dependencies).filter((name) => !has.includes(name)) }
}

const bootstrap = (create: string) => `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function bootstrap() {
  const app = await NestFactory.create${create};
  await app.listen(process.env.PORT ?? 3000);
}
bootstrap();
`
const nest = ['@nestjs/common', '@nestjs/core']
const onExpress = [...nest, '@nestjs/platform-express', 'express']
const onFastify = [...nest, '@nestjs/platform-fastify', 'fastify']
const core = '@feed-receiver/core'
const inbox = '@feed-receiver/inbox'
const adapter = (name: string) => [core, `@feed-receiver/${name}`, inbox]
const path = "{ path: '/webhooks/feed' }"
const bare = "'./feed-route'"
const named = "'./feed-route.js'"

describe('--into an app whose own code mounts the route', () => {
  it.each<[string, Given, { line: string; from: string; added: string[] }]>([
    [
      'NestJS as "nest new" makes it in CommonJS',
      { has: onExpress, files: { 'src/main.ts': bootstrap('(AppModule)') } },
      { line: "app.use('/webhooks/feed', feedRoute)", from: bare, added: adapter('express') },
    ],
    [
      'NestJS of ES modules, with its type and options on lines of their own',
      {
        type: 'module',
        has: onExpress,
        files: {
          'src/main.ts': bootstrap(
            '<NestExpressApplication>(\n    AppModule,\n    { rawBody: true },\n  )',
          ),
        },
      },
      {
        line: "app.use('/webhooks/feed', feedRoute)",
        from: named,
        added: adapter('express'),
      },
    ],
    [
      'NestJS on Fastify',
      {
        has: onFastify,
        files: { 'src/main.ts': bootstrap('<NestFastifyApplication>(AppModule, adapter)') },
      },
      { line: `await app.register(feedRoute, ${path})`, from: bare, added: adapter('fastify') },
    ],
    [
      'NestJS on Fastify, beside the platform that "nest new" installs',
      {
        has: [...onExpress, ...onFastify],
        files: { 'src/main.ts': bootstrap('(AppModule, new FastifyAdapter())') },
      },
      { line: `await app.register(feedRoute, ${path})`, from: bare, added: adapter('fastify') },
    ],
    [
      'NestJS that makes the app at its top level',
      {
        type: 'module',
        has: onExpress,
        files: { 'main.ts': 'const shop = await NestFactory.create(AppModule)\n' },
      },
      {
        line: "shop.use('/webhooks/feed', feedRoute)",
        from: named,
        added: adapter('express'),
      },
    ],
    [
      'Hono in TypeScript',
      {
        type: 'module',
        has: ['hono', '@hono/node-server'],
        files: {
          'src/index.ts':
            "import { Hono } from 'hono'\nconst web = new Hono<{ Variables: Vars }>()\n",
          'tsconfig.json': '{}',
        },
      },
      {
        line: "web.all('/webhooks/feed', feedRoute)",
        from: named,
        added: [core, inbox],
      },
    ],
    [
      'Hono in CommonJS',
      {
        has: ['hono'],
        files: { 'app.js': "const { Hono } = require('hono')\nconst app = new Hono()" },
      },
      {
        line: "app.all('/webhooks/feed', feedRoute)",
        from: bare,
        added: [core, inbox],
      },
    ],
  ])('fits %s', (_, given, { added: packages, line, from }) => {
    const { edits, added, files } = plan(given)
    expect(edits[0]?.where).toMatch(/^At the top of \S+\.[jt]s$/)
    expect(edits[0]?.line).toContain(from)
    expect(edits[1]).toMatchObject({ where: expect.stringMatching(/^Before /), line })
    expect(added).toEqual(packages)
    const [[route = '', text] = ['', '']] = files
    expect(route).toMatch(/feed-route\.[jt]s$/)
    const own = new Set(text.match(/@feed-receiver\/\w+/g))
    expect([...own].toSorted()).toEqual(packages)
    expect(text).toContain("'./feed-handlers")
  })
})

it('does not take a generic type in an app of NestJS for the class of an app', () => {
  const files = {
    'src/entity.ts': 'export type Stored<T extends { id: string }> = T & { at: Date }\n',
    'src/main.ts': bootstrap('(AppModule)'),
  }
  const [, mount] = plan({ has: onExpress, files }).edits
  expect(mount).toMatchObject({ line: "app.use('/webhooks/feed', feedRoute)", path: 'src/main.ts' })
})

it('rejects Hono on Workers', () => {
  const onWorkers = { has: ['hono'], hasAsTools: ['wrangler'], files: {} }
  expect(() => plan(onWorkers)).toThrow('runs on Cloudflare Workers')
  expect(plan({ ...onWorkers, has: ['hono', '@hono/node-server'] }).added).toEqual([core, inbox])
})

describe('--into an app whose routes are files', () => {
  it.each<[string, Given, string[]]>([
    [
      'SvelteKit in TypeScript',
      { type: 'module', has: [], hasAsTools: ['@sveltejs/kit'], files: { 'tsconfig.json': '{}' } },
      [
        'src/routes/webhooks/feed/+server.ts',
        'src/lib/server/feed-receiver.ts',
        'src/lib/server/feed-handlers.ts',
      ],
    ],
    [
      'SvelteKit in JavaScript',
      { type: 'module', has: ['@sveltejs/kit'], files: {} },
      [
        'src/routes/webhooks/feed/+server.js',
        'src/lib/server/feed-receiver.js',
        'src/lib/server/feed-handlers.js',
      ],
    ],
    [
      'Nuxt',
      { type: 'module', has: ['nuxt'], files: { 'tsconfig.json': '{}' } },
      [
        'server/routes/webhooks/feed.ts',
        'server/plugins/feed.ts',
        'server/feed-receiver.ts',
        'server/feed-handlers.ts',
      ],
    ],
  ])('leaves no line to add on %s', (_, given, paths) => {
    const { edits, added, files } = plan(given)
    expect(edits).toEqual([])
    expect(added).toEqual([core, inbox])
    expect([...files.keys()].filter((one) => one.includes('/'))).toEqual(paths)
  })

  it('warns about the body limit and the hooks of SvelteKit', () => {
    const hasAsTools = ['@sveltejs/kit', '@sveltejs/adapter-node']
    const given = { has: [], hasAsTools, files: { 'src/hooks.server.ts': '' } }
    expect(plan(given).warnings).toEqual([
      expect.stringContaining('Restart vite dev after you change a handler'),
      expect.stringContaining('BODY_SIZE_LIMIT=2M'),
      expect.stringContaining('src/hooks.server'),
    ])
  })

  it('says how Next handles changes and SIGTERM', () => {
    expect(plan({ has: ['next'], files: { 'app/page.js': '' } }).warnings).toEqual([
      expect.stringContaining('Restart next dev after you change a handler'),
      expect.stringContaining('NEXT_MANUAL_SIG_HANDLE=true next start'),
    ])
  })

  it.each(['proxy.ts', 'src/middleware.js'])('warns about %s of Next', (file) => {
    const files = { [file.startsWith('src') ? 'src/app/page.js' : 'app/page.js']: '', [file]: '' }
    expect(plan({ has: ['next'], files }).warnings.at(-1)).toBe(
      `If ${file.replace(/\.\w+$/, '')} requires a login, exempt /webhooks/feed, because a 401 or 403 pauses the feed.`,
    )
  })

  it('warns about the middleware of Nuxt', () => {
    expect(plan({ has: ['nuxt'], files: {} }).warnings).toEqual([])
    const files = { 'server/middleware/log.ts': '' }
    const [warning] = plan({ has: ['nuxt'], files }).warnings
    expect(warning).toContain('If server/middleware reads bodies')
  })

  it('prints that no code needs to change', async () => {
    const cwd = haveApp({ devDependencies: { '@sveltejs/kit': '^2.0.0' } })
    const { code, stdout } = await runMain(['--into', '.', '--no-install'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain('\nThe route is a file, so you do not need to change any code.\n')
    expect(stdout).not.toContain('undefined')
    const route = 'src/routes/webhooks/feed/+server.js'
    expect(readFileSync(join(cwd, route), 'utf8')).toContain("'../../../lib/server/feed-receiver'")
  })
})
