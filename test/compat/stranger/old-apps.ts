import type { OldApp } from './old-app.ts'

/** Existing apps, with code of their own. */
export const apps: OldApp[] = [
  {
    name: 'express, CommonJS',
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
    mount: (text, line) => text.replace('// HERE', line),
    edited: 'server.js',
  },
  {
    name: 'fastify, CommonJS',
    start: ['node', 'server.js'],
    manifest: { name: 'shop', version: '1.0.0', dependencies: { fastify: '^5.12.8' } },
    files: {
      'server.js': `const app = require('fastify')({ logger: false })
app.get('/', async () => 'a shop')
// HERE
app.listen({ port: Number(process.env.PORT) })
`,
    },
    mount: (text, line) => text.replace('// HERE', line),
    edited: 'server.js',
  },
  {
    name: 'koa, with the app created in a function',
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
    mount: (text, line, importLine) => `${importLine}\n${text.replace('// HERE', line)}`,
    edited: 'server.js',
  },
  {
    name: 'fastify, TypeScript',
    builds: [['npm', 'exec', '--', 'tsc']],
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
    mount: (text, line) => text.replace('// HERE', line),
    edited: 'src/main.ts',
  },
  {
    name: 'next',
    builds: [['npm', 'exec', '--', 'next', 'build']],
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
    mount: (text, line) => text.replace('{\n', `{\n  ${line}\n`),
    edited: 'next.config.ts',
  },
]
