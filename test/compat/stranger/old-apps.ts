import { withImport, type OldApp } from './old-app.ts'
import { seamTest } from './seam-test.ts'

const strictConfig = JSON.stringify({
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['src'],
})

/** Existing apps, with code of their own. */
export const apps: OldApp[] = [
  {
    name: 'express, CommonJS',
    start: ['node', 'server.js'],
    manifest: {
      name: 'shop',
      version: '1.0.0',
      dependencies: { express: '^5.3.0' },
      devDependencies: {
        eslint: '^8.57.1',
        'eslint-config-airbnb-base': '^15.0.0',
        'eslint-plugin-import': '^2.32.0',
        'eslint-plugin-n': '^17.23.0',
      },
      engines: { node: '^20.19 || >=22.12' },
    },
    checks: [['npx', 'eslint', '.']],
    files: {
      'server.js': `const express = require('express');

const app = express();
// HERE
app.use(express.json());
app.post('/orders', (request, response) => response.json({ ordered: request.body.count }));
app.get('/', (_, response) => response.send('a shop'));
const { env } = process;
app.listen(env.PORT);
`,
      '.eslintrc.json': JSON.stringify({
        root: true,
        extends: 'airbnb-base',
        plugins: ['n'],
        env: { node: true, es2022: true },
        rules: { 'n/no-process-env': 'error', 'n/no-process-exit': 'error', 'no-console': 'error' },
      }),
    },
    mount: withImport,
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
    mount: withImport,
    edited: 'server.js',
  },
  {
    name: 'koa, with the app created in a function',
    start: ['node', 'server.js'],
    manifest: {
      name: 'shop',
      type: 'module',
      dependencies: { '@koa/bodyparser': '^6.1.0', koa: '^3.0.0' },
      devDependencies: { standard: '^17.1.2' },
    },
    checks: [['npx', 'standard']],
    files: {
      'server.js': `import { bodyParser } from '@koa/bodyparser'
import Koa from 'koa'

function buildApp () {
  const shop = new Koa()
  // HERE
  shop.use(bodyParser())
  shop.use((context) => (context.body = 'a shop'))
  return shop
}
buildApp().listen(process.env.PORT)
`,
    },
    mount: withImport,
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
      devDependencies: {
        '@biomejs/biome': '^2.6.8',
        '@types/node': '^20.19.0',
        tsx: '^4.23.15',
        typescript: '~7.0.2',
      },
    },
    checks: [['npx', 'biome', 'ci', 'src', 'package.json']],
    files: {
      'src/main.ts': `import { fastify } from "fastify";

const app = fastify();
app.get("/", async () => "a shop");
// HERE
await app.listen({ port: Number(process.env.PORT) });
`,
      'biome.json': JSON.stringify({
        formatter: { indentStyle: 'space' },
        linter: { rules: { suspicious: { noConsole: 'error' } } },
      }),
      'tsconfig.json': strictConfig,
    },
    mount: withImport,
    edited: 'src/main.ts',
  },
  {
    name: 'express, TypeScript with strict types and rules',
    builds: [['npm', 'exec', '--', 'tsc']],
    start: ['npx', 'tsx', 'src/main.ts'],
    checks: [
      ['npx', 'eslint', 'src'],
      ['npx', 'prettier', '--check', 'src'],
    ],
    manifest: {
      name: 'shop',
      type: 'module',
      dependencies: { express: '^5.3.0' },
      devDependencies: {
        '@eslint/js': '^9.39.0',
        '@types/express': '^5.0.6',
        '@types/node': '^20.19.0',
        eslint: '^9.39.0',
        'eslint-plugin-n': '^17.23.0',
        prettier: '^3.6.2',
        tsx: '^4.23.15',
        typescript: '~5.9.0',
        'typescript-eslint': '^8.46.0',
      },
    },
    files: {
      'src/main.ts': `import { env } from "node:process";
import express from "express";

const app = express();
// HERE
app.get("/", (_, response) => {
  response.send("a shop");
});
app.listen(Number(env.PORT));
`,
      'eslint.config.js': `import js from '@eslint/js'
import n from 'eslint-plugin-n'
import ts from 'typescript-eslint'

export default ts.config(
  js.configs.recommended,
  ts.configs.strictTypeChecked,
  ts.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { n },
    rules: {
      'no-console': 'error',
      'no-use-before-define': 'error',
      'no-void': 'error',
      'n/no-process-env': 'error',
      'n/no-process-exit': 'error',
    },
  },
)
`,
      'tsconfig.json': strictConfig,
    },
    mount: withImport,
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
        vitest: '^4.0.0',
      },
    },
    seamTest: {
      path: 'feed.test.ts',
      text: seamTest({
        feed: './feed-receiver',
        imported: "import { POST } from './app/webhooks/feed/route'\n",
        answered: "POST(new Request('http://shop/webhooks/feed', delivery))",
      }),
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
