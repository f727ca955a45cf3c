import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { Framework } from './choices.ts'
import { CreateError } from './errors.ts'
import type { FoundApp } from './find-app.ts'

/** The route and the handlers that an app gets. */
export interface PlannedFiles {
  /** By path, with what is in them. */
  files: Map<string, string>
  /** The one line that is for the owner to add, and where it belongs. */
  line: string
  place: string
}

const into = new URL('../into/', import.meta.url)

/** Errors: `no_app` where Next has no App Router. */
export function planFiles(folder: string, app: FoundApp): PlannedFiles {
  return app.framework === 'next' ? planForNext(folder, app) : planRoute(app)
}

function planRoute({
  framework,
  isTypeScript,
  isModule,
  isModulePackage,
  importsTs,
  entry,
}: FoundApp): PlannedFiles {
  const extension = isTypeScript ? 'ts' : isModulePackage ? 'js' : 'mjs'
  // What an import says: TypeScript names the file that will be there, unless it is told otherwise.
  const imported = isTypeScript && !importsTs ? 'js' : extension
  const beside = entry === undefined ? 'src' : dirname(entry)
  const files = new Map([
    [
      posix.join(beside, `feed-route.${extension}`),
      routeFor(framework).replace('./feed-handlers.js', `./feed-handlers.${imported}`),
    ],
    [posix.join(beside, `feed-handlers.${extension}`), handlersIn(isTypeScript)],
  ])
  const specifier = `'./feed-route.${imported}'`
  const loaded = isModule ? `(await import(${specifier}))` : `require(${specifier})`
  return { files, line: mountLine(framework, loaded), place: placeFor(framework, entry) }
}

// It is written for Express; the adapters differ in their names alone.
function routeFor(framework: Framework): string {
  const adapter = `to${framework.charAt(0).toUpperCase()}${framework.slice(1)}`
  return readInto('feed-route.ts')
    .replace('@feed-receiver/express', `@feed-receiver/${framework}`)
    .replaceAll('toExpress', adapter)
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

function planForNext(folder: string, { isTypeScript }: FoundApp): PlannedFiles {
  const parent = ['', 'src'].find((path) => existsSync(join(folder, path, 'app')))
  if (parent === undefined) {
    throw new CreateError(
      'no_app',
      'There is neither app nor src/app: the receiver needs the App Router. Nothing was changed.',
    )
  }
  const extension = isTypeScript ? 'ts' : 'js'
  const route = `app/webhooks/feed/route.${extension}`
  const files = new Map([
    [posix.join(parent, route), readInto(`next/${route}`)],
    [posix.join(parent, `feed-handlers.${extension}`), handlersIn(isTypeScript)],
  ])
  const line = "serverExternalPackages: ['@feed-receiver/inbox'],"
  return { files, line, place: 'To what next.config exports' }
}

function handlersIn(isTypeScript: boolean): string {
  return readInto(`feed-handlers.${isTypeScript ? 'ts' : 'js'}`)
}

function readInto(path: string): string {
  return readFileSync(new URL(path, into), 'utf8')
}
