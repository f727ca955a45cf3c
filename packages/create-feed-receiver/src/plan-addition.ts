import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { Framework } from './choices.ts'
import { developmentSecret } from './development-secret.ts'
import { hasLine, setLine } from './env-lines.ts'
import { CreateError } from './errors.ts'
import type { FoundApp } from './find-app.ts'
import { versionsIn } from './manifest.ts'
import { withOwnVersions } from './own-versions.ts'

/** What is to be written into an app that is there, and what its owner has to add. */
export interface Addition {
  /** New files, by path, with what is in them. */
  added: Map<string, string>
  /** The same for package.json and .env files. */
  changed: Map<string, string>
  /** What the changes are, in words. */
  changes: string[]
  /** The one line that is for the owner, and where it belongs. */
  line: string
  place: string
}

const into = new URL('../into/', import.meta.url)

/** Errors: `already_there` where a file that is to be added exists, `no_app`. */
export function planAddition(folder: string, app: FoundApp): Addition {
  const { added, line, place } = app.framework === 'next' ? planNext(folder, app) : planRoute(app)
  const taken = [...added.keys()].find((path) => existsSync(join(folder, path)))
  if (taken !== undefined) {
    throw new CreateError(
      'already_there',
      `${taken} is there already. Was the feed added before? Move it away to add it again. ` +
        'Nothing was changed.',
    )
  }
  const changed = new Map<string, string>()
  const changes: string[] = []
  changeManifest(app, changed, changes)
  changeEnv(folder, changed, changes)
  return { added, changed, changes, line, place }
}

type Files = Pick<Addition, 'added' | 'line' | 'place'>

function planRoute({ framework, isTypeScript, isModule, importsTs, entry }: FoundApp): Files {
  const extension = isTypeScript ? 'ts' : isModule ? 'js' : 'mjs'
  // What an import says: TypeScript names the file that will be there, unless it is told otherwise.
  const imported = isTypeScript && !importsTs ? 'js' : extension
  const beside = entry === undefined ? 'src' : dirname(entry)
  const route = readInto(`feed-route-${framework}.ts`).replace(
    './feed-handlers.js',
    `./feed-handlers.${imported}`,
  )
  const added = new Map([
    [posix.join(beside, `feed-route.${extension}`), route],
    [posix.join(beside, `feed-handlers.${extension}`), handlersIn(isTypeScript)],
  ])
  const specifier = `'./feed-route.${imported}'`
  const loaded = isModule ? `(await import(${specifier}))` : `require(${specifier})`
  return { added, line: mountLine(framework, loaded), place: placeFor(framework, entry) }
}

function mountLine(framework: Framework, loaded: string): string {
  if (framework === 'koa') return `router.post('/webhooks/feed', ${loaded}.feedRoute)`
  if (framework === 'express') return `app.post('/webhooks/feed', ${loaded}.feedRoute)`
  return `app.register(${loaded}.feedRoute, { path: '/webhooks/feed' })`
}

function placeFor(framework: Framework, entry = 'the file that makes the app'): string {
  if (framework === 'fastify') return `To ${entry}, before the app listens`
  return `To ${entry}, before every body parser`
}

function planNext(folder: string, { isTypeScript }: FoundApp): Files {
  const parent = ['', 'src'].find((path) => existsSync(join(folder, path, 'app')))
  if (parent === undefined) {
    throw new CreateError(
      'no_app',
      'There is neither app nor src/app: the receiver needs the App Router. Nothing was changed.',
    )
  }
  const extension = isTypeScript ? 'ts' : 'js'
  const added = new Map([
    [
      posix.join(parent, `app/webhooks/feed/route.${extension}`),
      readInto(`next/app/webhooks/feed/route.${extension}`),
    ],
    [posix.join(parent, `feed-handlers.${extension}`), handlersIn(isTypeScript)],
  ])
  const line = "serverExternalPackages: ['@feed-receiver/inbox'],"
  return { added, line, place: 'To what next.config exports' }
}

function handlersIn(isTypeScript: boolean): string {
  return readInto(`feed-handlers.${isTypeScript ? 'ts' : 'js'}`)
}

function readInto(path: string): string {
  return readFileSync(new URL(path, into), 'utf8')
}

/** Adds what is missing to the dependencies, and leaves all else as it is written. */
function changeManifest(app: FoundApp, changed: Map<string, string>, changes: string[]): void {
  const { framework, manifest, manifestText } = app
  const present = versionsIn(manifest, 'dependencies')
  const wanted = ['core', 'inbox', framework].map((name) => `@feed-receiver/${name}`)
  const missing = wanted.filter((name) => !(name in present))
  if (missing.length === 0) return
  const additional = withOwnVersions(Object.fromEntries(missing.map((name) => [name, ''])))
  const all = Object.entries({ ...present, ...additional })
  const dependencies = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const indent = /^([ \t]+)"/m.exec(manifestText)?.[1] ?? '  '
  const end = manifestText.endsWith('\n') ? '\n' : ''
  const text = JSON.stringify({ ...manifest, dependencies }, null, indent)
  changed.set('package.json', `${text}${end}`)
  for (const [name, range] of Object.entries(additional)) {
    changes.push(`package.json: ${name} ${range} in its dependencies`)
  }
}

function changeEnv(folder: string, changed: Map<string, string>, changes: string[]): void {
  const add = (path: string, value: string, why: string) => {
    const file = join(folder, path)
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (hasLine(text, 'FEED_SIGNING_SECRET')) return
    changed.set(path, setLine(text, 'FEED_SIGNING_SECRET', value))
    changes.push(`${path}: FEED_SIGNING_SECRET, ${why}`)
  }
  add('.env', developmentSecret(), 'for development, made now')
  if (existsSync(join(folder, '.env.example'))) {
    add('.env.example', 'feed_whsec_replace_me', 'to be replaced')
  }
}
