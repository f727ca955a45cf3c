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
  /** An import that the line needs at the top of that file. */
  importLine?: string
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
  const beside = entry === undefined ? 'src' : dirname(entry.path)
  const files = new Map([
    [
      posix.join(beside, `feed-route.${extension}`),
      routeFor(framework, isTypeScript).replace(
        './feed-handlers.js',
        `./feed-handlers.${imported}`,
      ),
    ],
    [posix.join(beside, `feed-handlers.${extension}`), handlersIn(isTypeScript)],
  ])
  const specifier = `'./feed-route.${imported}'`
  const mount = (route: string) => mountLine(framework, entry?.app, route)
  const place = placeFor(framework, entry?.path)
  // A module may wait for an import at its top level alone; what is compiled from imports may not.
  const isAtTop = isModule && entry?.isInFunction === false
  if (isAtTop) return { files, line: mount(`(await import(${specifier})).feedRoute`), place }
  const importLine = `import { feedRoute } from ${specifier}`
  if (isModule || entry?.hasImports) return { files, line: mount('feedRoute'), place, importLine }
  return { files, line: mount(`require(${specifier}).feedRoute`), place }
}

// It is written for Express; the adapters differ in their names alone, and Koa has no routes.
function routeFor(framework: Framework, isTypeScript: boolean): string {
  const adapter = `to${framework.charAt(0).toUpperCase()}${framework.slice(1)}`
  const route = readInto('feed-route.ts')
    .replace('@feed-receiver/express', `@feed-receiver/${framework}`)
    .replaceAll('toExpress', adapter)
  if (framework !== 'koa') return route
  const type = isTypeScript ? ': typeof receive' : ''
  return route
    .replace(
      'export const feedRoute = toKoa(receiver)\n',
      `export const feedRoute${type} = async (context, next) => {
  await (context.path === '/webhooks/feed' ? receive(context, next) : next())
}
`,
    )
    .replace('\n/** No body parser', '\nconst receive = toKoa(receiver)\n\n/** No body parser')
}

function mountLine(framework: Framework, app = 'app', route: string): string {
  if (framework === 'koa') return `${app}.use(${route})`
  if (framework === 'express') return `${app}.post('/webhooks/feed', ${route})`
  return `${app}.register(${route}, { path: '/webhooks/feed' })`
}

function placeFor(framework: Framework, path = 'the file that makes the app'): string {
  if (framework === 'fastify') return `To ${path}, before the app listens`
  return `To ${path}, before every body parser`
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
