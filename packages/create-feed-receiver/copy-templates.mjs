// Copies the templates, and with them what `--into` adds to an app, to where npm packs them.
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'oxfmt'
import blankTypes from 'ts-blank-space'

const from = fileURLToPath(new URL('../../templates', import.meta.url))
const to = fileURLToPath(new URL('templates', import.meta.url))
const style = readJson('../../.oxfmtrc.json')

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

rmSync(to, { recursive: true, force: true })
for (const framework of ['express', 'fastify', 'koa', 'next']) {
  const folder = join(to, framework)
  cpSync(join(from, framework), folder, { recursive: true, filter: isWanted })
  // npm packs no .gitignore, and would obey it.
  renameSync(join(folder, '.gitignore'), join(folder, '_gitignore'))
  if (framework !== 'next') await addFile(`${framework}/feed-route`, routeFor(framework))
}
await addFile('next/app/webhooks/feed/route', read('next/app/webhooks/feed/route.ts'))
await addFile('feed-handlers', read('feed-handlers.ts'))

function isWanted(path) {
  return !leftovers.has(basename(path)) && !path.endsWith('.tsbuildinfo')
}

// The route is written for Express. Adapters differ in their names alone, and Koa has no routes.
function routeFor(framework) {
  const adapter = `to${framework.charAt(0).toUpperCase()}${framework.slice(1)}`
  const route = read('feed-route.ts')
    .replace('@feed-receiver/express', `@feed-receiver/${framework}`)
    .replaceAll('toExpress', adapter)
  if (framework !== 'koa') return route
  return route
    .replace(
      'export const feedRoute = toKoa(receiver)\n',
      `export const feedRoute: typeof receive = async (context, next) => {
  await (context.path === '/webhooks/feed' ? receive(context, next) : next())
}
`,
    )
    .replace('\n/** No body parser', '\nconst receive = toKoa(receiver)\n\n/** No body parser')
}

/** Writes a file in TypeScript, and the same in JavaScript. */
async function addFile(path, text) {
  const file = join(to, 'into', path)
  // An editor reads the types of a JavaScript file in its comments.
  const documented = text.replace(
    /\/\*\* (.*) \*\/\n(export const \w+: Handlers)/,
    "/**\n * $1\n *\n * @type {import('@feed-receiver/inbox').Handlers}\n */\n$2",
  )
  const { code } = await format(`${path}.js`, blankTypes(documented), style)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.ts`, text)
  writeFileSync(`${file}.js`, code)
}

function read(path) {
  return readFileSync(join(from, 'into', path), 'utf8')
}

function readJson(path) {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
}
