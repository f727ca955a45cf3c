import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { it } from 'vitest'
import { deliverTo, statusOf } from './deliver-to.ts'
import { useStranger, type Stranger } from './stranger.ts'

/** Apps that existed before, with what their owner has in them. */
const apps = [
  {
    name: 'express, CommonJS',
    framework: 'express',
    start: ['node', 'server.js'],
    manifest: { name: 'shop', version: '1.0.0', dependencies: { express: '^5.3.0' } },
    files: {
      'server.js': `const express = require('express')
const app = express()
// HERE
app.use(express.json())
app.post('/orders', (request, response) => response.json({ ordered: request.body.count }))
app.get('/', (_, response) => response.send('a shop'))
app.listen(process.env.PORT)
`,
    },
    mount: (text: string, line: string) => text.replace('// HERE', line),
    edited: 'server.js',
  },
  {
    name: 'fastify, CommonJS',
    framework: 'fastify',
    start: ['node', 'server.js'],
    manifest: { name: 'shop', version: '1.0.0', dependencies: { fastify: '^5.12.8' } },
    files: {
      'server.js': `const app = require('fastify')({ logger: false })
app.get('/', async () => 'a shop')
// HERE
app.listen({ port: Number(process.env.PORT) })
`,
    },
    mount: (text: string, line: string) => text.replace('// HERE', line),
    edited: 'server.js',
  },
  {
    name: 'koa, whose app is made in a function',
    framework: 'koa',
    start: ['node', 'server.js'],
    manifest: {
      name: 'shop',
      type: 'module',
      dependencies: { '@koa/bodyparser': '^6.1.0', koa: '^3.0.0' },
    },
    files: {
      'server.js': `import { bodyParser } from '@koa/bodyparser'
import Koa from 'koa'
function buildApp() {
  const shop = new Koa()
  // HERE
  shop.use(bodyParser())
  shop.use((context) => (context.body = 'a shop'))
  return shop
}
buildApp().listen(process.env.PORT)
`,
    },
    mount: (text: string, line: string, importLine: string) =>
      `${importLine}\n${text.replace('// HERE', line)}`,
    edited: 'server.js',
  },
  {
    name: 'fastify, TypeScript',
    framework: 'fastify',
    start: ['npx', 'tsx', 'src/main.ts'],
    manifest: {
      name: 'shop',
      type: 'module',
      dependencies: { fastify: '^5.12.8' },
      devDependencies: { '@types/node': '^20.19.0', tsx: '^4.23.15', typescript: '~7.0.2' },
    },
    files: {
      'src/main.ts': `import { fastify } from 'fastify'

const app = fastify()
app.get('/', async () => 'a shop')
// HERE
await app.listen({ port: Number(process.env.PORT) })
`,
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          target: 'es2022',
          module: 'nodenext',
          types: ['node'],
          strict: true,
          skipLibCheck: true,
          noEmit: true,
        },
        include: ['src'],
      }),
    },
    mount: (text: string, line: string) => text.replace('// HERE', line),
    edited: 'src/main.ts',
  },
  {
    name: 'next',
    framework: 'next',
    start: ['npx', 'next', 'start'],
    manifest: {
      name: 'shop',
      dependencies: { next: '^16.4.0', react: '^19.2.0', 'react-dom': '^19.2.0' },
      devDependencies: {
        '@types/node': '^20.19.0',
        '@types/react': '^19.2.0',
        typescript: '~7.0.2',
      },
    },
    files: {
      'app/layout.tsx': `import type { ReactNode } from 'react'

export default function Layout({ children }: { children: ReactNode }) {
  return <html lang="en"><body>{children}</body></html>
}
`,
      'app/page.tsx': 'export default function Page() {\n  return <p>a shop</p>\n}\n',
      'next.config.ts': 'export default {\n  poweredByHeader: false,\n}\n',
      'tsconfig.json': JSON.stringify({ compilerOptions: { strict: true } }),
    },
    mount: (text: string, line: string) => text.replace('{\n', `{\n  ${line}\n`),
    edited: 'next.config.ts',
  },
]

it.concurrent.for(apps)('--into adds the feed to an app on $name', async (app, context) => {
  const { expect } = context
  const stranger = await useStranger(context, `into-${app.name.replaceAll(/\W+/g, '-')}`)
  const { run, start, edit, fetch } = stranger
  await have(stranger, { ...app.files, 'package.json': JSON.stringify(app.manifest, null, 2) })
  expect(await run('npm', 'install')).toMatchObject({ code: 0 })

  const added = await run('npm', 'create', 'feed-receiver@latest', '--', '--into', '.')
  expect(added).toMatchObject({ code: 0 })
  const [, line = ''] = /add this line:\n\n {2}(.+)\n/.exec(added.stdout) ?? []
  const [, importLine = ''] = /the top of that file:\n\n {2}(.+)\n/.exec(added.stdout) ?? []
  await edit(app.edited, (text) => app.mount(text, line, importLine))
  if ('tsconfig.json' in app.files && app.framework !== 'next')
    expect(await run('npm', 'exec', '--', 'tsc')).toMatchObject({ code: 0 })
  if (app.framework === 'next') {
    expect(await run('npm', 'exec', '--', 'next', 'build')).toMatchObject({ code: 0 })
  }

  const [command = '', ...args] = app.start
  const started = start(command, ...args)
  await expect.poll(() => statusOf(stranger, '/')).toBe(200)
  // 503 until its inbox has started, then 202, then 200.
  await expect.poll(() => deliverTo(stranger, 'outage_started')).toBe(200)
  await started.until('Outage: ')
  expect(await (await fetch('/')).text()).toContain('a shop')
  await started.end('SIGTERM')
})

async function have({ folder }: Stranger, files: Record<string, string>): Promise<void> {
  for (const [path, contents] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), contents)
  }
}
