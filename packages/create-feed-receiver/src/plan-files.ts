import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { problem } from './errors.ts'
import type { FoundApp } from './find-app.ts'

/** The route and the handlers that an app gets. */
export interface PlannedFiles {
  /** By path, with what is in them. */
  files: Map<string, string>
  /** The one line that is for the owner to add, and where it belongs. */
  line: string
  place: string
  /** An import that the line needs at the top of that file. */
  importLine?: string
}

/** Errors: `no_app` where Next has no App Router. */
export function planFiles(folder: string, app: FoundApp): PlannedFiles {
  return app.framework === 'next' ? planForNext(folder, app) : planRoute(app)
}

function planRoute(app: FoundApp): PlannedFiles {
  const { framework, isTypeScript, isModule, isModulePackage, importsTs, entry } = app
  const language = isTypeScript ? 'ts' : 'js'
  const extension = isTypeScript ? 'ts' : isModulePackage ? 'js' : 'mjs'
  // What an import says: TypeScript names the file that will be there, unless it is told otherwise.
  const imported = isTypeScript && !importsTs ? 'js' : extension
  const beside = entry === undefined ? 'src' : dirname(entry.path)
  const route = readInto(`${framework}/feed-route.${language}`)
  const files = new Map([
    [
      posix.join(beside, `feed-route.${extension}`),
      route.replace('./feed-handlers.js', `./feed-handlers.${imported}`),
    ],
    [posix.join(beside, `feed-handlers.${extension}`), readInto(`feed-handlers.${language}`)],
  ])
  const specifier = `'./feed-route.${imported}'`
  const moment = framework === 'fastify' ? 'before the app listens' : 'before every body parser'
  const place = `To ${entry?.path ?? 'the file that makes the app'}, ${moment}`
  const mount = (feedRoute: string) => mountLine(app, feedRoute)
  // A module may wait for an import at its top level alone; what is compiled from imports may not.
  const isAtTop = isModule && entry?.isInFunction === false
  if (isAtTop) return { files, line: mount(`(await import(${specifier})).feedRoute`), place }
  const importLine = `import { feedRoute } from ${specifier}`
  if (isModule || entry?.hasImports) return { files, line: mount('feedRoute'), place, importLine }
  return { files, line: mount(`require(${specifier}).feedRoute`), place }
}

function mountLine({ framework, entry }: FoundApp, feedRoute: string): string {
  const app = entry?.app ?? 'app'
  if (framework === 'koa') return `${app}.use(${feedRoute})`
  if (framework === 'express') return `${app}.post('/webhooks/feed', ${feedRoute})`
  return `${app}.register(${feedRoute}, { path: '/webhooks/feed' })`
}

function planForNext(folder: string, { isTypeScript }: FoundApp): PlannedFiles {
  const parent = ['', 'src'].find((path) => existsSync(join(folder, path, 'app')))
  if (parent === undefined) throw problem('no_app', 'no_router')
  const language = isTypeScript ? 'ts' : 'js'
  const route = `app/webhooks/feed/route.${language}`
  const files = new Map([
    [posix.join(parent, route), readInto(`next/${route}`)],
    [posix.join(parent, `feed-handlers.${language}`), readInto(`feed-handlers.${language}`)],
  ])
  const line = "serverExternalPackages: ['@feed-receiver/inbox'],"
  return { files, line, place: 'To what next.config exports' }
}

function readInto(path: string): string {
  return readFileSync(new URL(`../templates/into/${path}`, import.meta.url), 'utf8')
}
