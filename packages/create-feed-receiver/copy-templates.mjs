// Copies the templates, and with them the recipes and what `--into` adds to an app, to where npm
// packs them.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'oxfmt'
import blankTypes from 'ts-blank-space'

const from = fileURLToPath(new URL('../../templates', import.meta.url))
const to = fileURLToPath(new URL('templates', import.meta.url))
const style = readJson('../../.oxfmtrc.json')

const handlersLine = "import { handlers } from './feed-handlers.js'\n"

/** What running a template leaves in its folder. */
const leftovers = new Set([
  'node_modules',
  'dist',
  '.next',
  '.feed-receiver',
  '.env',
  'package-lock.json',
  'next-env.d.ts',
])

const wanted = new Map()
// The template for Express is a whole app. The others contain only what differs from it.
const express = readFiles('express')
for (const framework of ['express', 'koa', 'fastify', 'hono', 'nest']) addApp(framework, express)
addApp('next', partsForNext(express))
for (const framework of ['express', 'koa', 'fastify']) {
  await addFile(`${framework}/feed-route`, routeFor(framework))
}
await addFile('hono/feed-route', routeForHono())
await addFile('nest-express/feed-route', forNest(routeFor('express')))
await addFile('nest-fastify/feed-route', forNest(routeFor('fastify')))
for (const framework of ['next', 'nuxt', 'sveltekit']) {
  await addFile(`${framework}/feed-receiver`, receiverFor(framework))
}
for (const path of [
  'next/app/webhooks/feed/route',
  'sveltekit/src/routes/webhooks/feed/+server',
  'nuxt/server/plugins/feed',
  'nuxt/server/routes/webhooks/feed',
  'feed-handlers',
]) {
  await addFile(path, read(`${path}.ts`))
}

for (const path of filesOf(join(from, 'recipes'))) {
  const text = readFileSync(join(from, 'recipes', path), 'utf8')
  const isCode = path.endsWith('.ts') && !path.startsWith('test')
  if (isCode) await addForms(join('recipes', path.replace(/\.ts$/, '')), text)
  else wanted.set(join('recipes', path), Buffer.from(text))
}

// Test runs at one time share the folder: what is there as it should be stays untouched.
for (const [path, content] of wanted) update(join(to, path), content)
for (const path of filesOf(to)) {
  if (!wanted.has(path)) rmSync(join(to, path), { force: true })
}

/** Adds an app: the files of its template, and those of a base that the template does not have. */
function addApp(framework, base) {
  for (const [path, content] of new Map([...base, ...readFiles(framework)])) {
    // npm packs no .gitignore, and would obey it.
    wanted.set(join(framework, path === '.gitignore' ? '_gitignore' : path), content)
  }
}

function readFiles(framework) {
  const folder = join(from, framework)
  return new Map(filesOf(folder).map((path) => [path, readFileSync(join(folder, path))]))
}

/** What an app with Next has in common with one with Express, in its own folder. */
function partsForNext(app) {
  const shared = ['compose.yaml', 'sql/0001-outage.sql', 'src/handlers.ts', 'src/home.ts']
  return shared.map((path) => [
    path.replace('src/', 'feed/'),
    Buffer.from(app.get(path).toString().replace('src/handlers.ts', 'feed/handlers.ts')),
  ])
}

/** The paths of the files below a folder, without what running a template leaves. */
function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry
    if (leftovers.has(name) || /\.tsbuildinfo$|~$/.test(name)) return []
    if (!entry.isDirectory()) return [name]
    return filesOf(join(folder, name)).map((path) => join(name, path))
  })
}

/** Replaces the file at once, if its content differs. */
function update(file, content) {
  if (readOr(file)?.equals(content)) return
  const written = `${file}.${process.pid}~`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(written, content)
  renameSync(written, file)
}

function readOr(file) {
  try {
    return readFileSync(file)
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

// The route is written for Express. Koa and Hono have another signature, and a plugin of Fastify
// learns itself when the app listens and closes.
function routeFor(framework) {
  const route = change(read('feed-route.ts'), {
    '@feed-receiver/express': `@feed-receiver/${framework}`,
    toExpress: `to${framework.charAt(0).toUpperCase()}${framework.slice(1)}`,
  })
  if (framework === 'koa') {
    return change(route, {
      [/import \{ toKoa \}.*\n.*\n/.exec(route)?.[0]]:
        `import { createInbox } from '@feed-receiver/inbox'
import { toKoa } from '@feed-receiver/koa'
`,
      [handlersLine]: `import type { Context, Next } from 'koa'\n${handlersLine}`,
      '\n/** Mount it before': '\nconst receive = toKoa(receiver)\n\n/** Mount it before',
      'export const feedRoute = toKoa(receiver)\n': `export const feedRoute = async (context: Context, next: Next) => {
  await (context.path === '/webhooks/feed' ? receive(context) : next())
}
`,
    })
  }
  if (framework !== 'fastify') return route
  return change(route, {
    'Call it where the app listens, which tests do not run. Throws\n * if':
      'The route calls it once the app listens. Throws if\n *',
    [`/** Mount it before every body parser, login and CSRF check, because it verifies the raw body. */
export const feedRoute = toFastify(receiver)\n`]: `const plugin = toFastify(receiver)

/** Also starts the feed once the app listens, and stops it when the app closes. */
export const feedRoute: typeof plugin = (app, options, done) => {
  app.addHook('onListen', () => {
    // Not in the hook, whose errors Fastify only logs.
    queueMicrotask(startFeed)
  })
  app.addHook('onClose', async () => {
    if (isFeedStarted) await stopFeed()
  })
  plugin(app, options, done)
}
`,
  })
}

function routeForHono() {
  return change(read('feed-route.ts'), {
    "import { toExpress } from '@feed-receiver/express'\n": '',
    'createReceiver, secretsFromEnv': 'createReceiver, secretsFromEnv, toFetch',
    [handlersLine]: `import type { Context } from 'hono'\n${handlersLine}`,
    '\n/** Mount it before every body parser':
      '\nconst receive = toFetch(receiver)\n\n/** Mount it before every body reader',
    'export const feedRoute = toExpress(receiver)':
      'export const feedRoute = (context: Context) => receive(context.req.raw)',
  })
}

// Where routes are files, development loads a file again after each change. So a function creates
// the parts of the feed, once.
function receiverFor(framework) {
  const [imports, parts] = read('feed-route.ts').split(/\n\n(?=\/\/ Without the byte order mark)/)
  const isNext = framework === 'next'
  const receive = { next: 'toNext(receiver)', sveltekit: 'toFetch(receiver)' }[framework]
  const members = `inbox, ${receive ? 'receive' : 'receiver'}, startFeed, retryNow, stopFeed`
  const created = change(parts, {
    '/** Unset or empty: embedded, in ./.feed-receiver. Importing this file opens nothing. */':
      '// Unset or empty: embedded, in ./.feed-receiver',
    'so that an import does not need the secret. startFeed checks it.':
      'because the build runs this too, perhaps without secrets.',
    'For an app that called no startFeed. The delivery waits for it up to its deadline.':
      'Not only after 5 s. The delivery waits for it up to its deadline.',
    [/\/\*\*\n \* Starts the inbox[^]*?\*\//.exec(parts)?.[0]]:
      '/** Starts the inbox and its handlers once. */',
    '  // Only to check the secret now.\n  createReceiver({ secrets: secretsFromEnv(env), inbox })\n':
      '',
    [/\/\*\* Mount it before[^]*$/.exec(parts)?.[0]]:
      `return { ${members.replace('receive,', `receive: ${receive},`)} }\n`,
    'export ': '',
    // Next reads .env itself.
    ...(isNext && {
      [/\/\/ Without the byte order mark[^]*?\.\.\.env \}\)\n/.exec(parts)?.[0]]: '',
    }),
  })
  return `${change(imports, {
    "import { toExpress } from '@feed-receiver/express'\n": '',
    './feed-handlers.js': './feed-handlers',
    ...(framework === 'sveltekit' && { 'secretsFromEnv }': 'secretsFromEnv, toFetch }' }),
    ...(isNext && {
      "import { existsSync, readFileSync } from 'node:fs'\n": '',
      'inspect, parseEnv': 'inspect',
      "from '@feed-receiver/inbox'":
        "from '@feed-receiver/inbox'\nimport { toNext } from '@feed-receiver/next'",
    }),
  })}

function createFeed() {
${created.replaceAll(/^(?=.)/gm, '  ')}}

// The global object declares no such member.
const loaded = globalThis as { feedReceiver?: ReturnType<typeof createFeed> }

// In development ${{ next: 'Next', nuxt: 'Nitro', sveltekit: 'Vite' }[framework]} loads this file again after each change, but the feed must stay the same.
loaded.feedReceiver ??= createFeed()
/** Importing this file opens nothing. The ${receive ? 'first delivery' : 'server plugin'} starts the feed. */
export const { ${members} } = loaded.feedReceiver
`
}

// With its shutdown hooks, Nest closes, and then sends the signal to the process again. A listener
// that stays lets running handlers finish.
function forNest(route) {
  return change(route, {
    'process.prependOnceListener(': 'process.prependListener(',
    '=== 1': '=== 2',
  })
}

/** Replaces each piece everywhere. Fails if one is missing, because its text was changed. */
function change(text, pieces) {
  return Object.entries(pieces).reduce((changed, [piece, replacement]) => {
    if (!changed.includes(piece)) throw new Error(`The template no longer contains: ${piece}`)
    return changed.replaceAll(piece, () => replacement)
  }, text)
}

/** Adds a file in TypeScript, and the same in JavaScript: as an ES module and in CommonJS. */
async function addFile(path, text) {
  // An editor reads the types of a JavaScript file in its comments.
  const documented = text.replace(
    /\/\*\* (.*) \*\/\n(export const \w+: Handlers)/,
    "/**\n * $1\n *\n * @type {import('@feed-receiver/inbox').Handlers}\n */\n$2",
  )
  // Frameworks with file-based routes load ES modules alone.
  const isRequired = /feed-(?:route|handlers)$/.test(path)
  await addForms(join('into', path), text, { documented, isRequired })
}

async function addForms(path, text, { documented = text, isRequired = true } = {}) {
  const { code } = await format(`${path}.js`, blankTypes(documented), style)
  wanted.set(`${path}.ts`, Buffer.from(text))
  wanted.set(`${path}.js`, Buffer.from(code))
  if (!isRequired) return
  const required = await format(`${path}.cjs`, toCommonJs(code), style)
  wanted.set(`${path}.cjs`, Buffer.from(required.code))
}

/** The imports and exports of a file, rewritten. Fails on forms that these files do not have. */
function toCommonJs(code) {
  const names = []
  const rewritten = code
    .replaceAll(/^import (\{[^}]*\}) from ('[^']+')/gm, 'const $1 = require($2)')
    .replaceAll(/^export ((?:const|(?:async )?function) (\w+))/gm, (_, declaration, name) => {
      names.push(name)
      return declaration
    })
  const left = /^(?:import|export)\b.*|\bimport[.(](?!')|^await\b/m.exec(rewritten)
  if (left) throw new Error(`Not known how to write this in CommonJS: ${left[0]}`)
  return `${rewritten}\nmodule.exports = { ${names.join(', ')} }\n`
}

function read(path) {
  return readFileSync(join(from, 'into', path), 'utf8')
}

function readJson(path) {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
}
