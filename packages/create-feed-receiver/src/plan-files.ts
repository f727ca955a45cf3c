import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { CreateError } from './errors.ts'
import type { FoundApp } from './find-app.ts'
import { findListening } from './find-entry.ts'
import { packagesIn } from './manifest.ts'

/** A line that the owner of the app adds. */
export interface Edit {
  /** For example `At the top of app.js`. */
  where: string
  line: string
  /** The file to change, if known. */
  path?: string | undefined
}

/** The route and the handlers for an app. */
export interface PlannedFiles {
  /** The contents by path. */
  files: Map<string, string>
  /** None if the files are enough. */
  edits: Edit[]
  /** Advice about the framework for the owner of the app. */
  notes: string[]
}

/** Errors: `no_app` if Next has no App Router, or Hono runs on Workers. */
export function planFiles(folder: string, app: FoundApp): PlannedFiles {
  if (app.framework === 'next') return planForNext(folder, app)
  if (app.framework === 'sveltekit') return planForSvelteKit(folder, app)
  return app.framework === 'nuxt' ? planForNuxt(folder, app) : planRoute(folder, app)
}

function planRoute(folder: string, app: FoundApp): PlannedFiles {
  const { framework, adapter, entry } = app
  const named = packagesIn(app.manifest)
  if (framework === 'hono' && named.has('wrangler') && !named.has('@hono/node-server')) {
    throw new CreateError(
      'no_app',
      'This app uses wrangler without @hono/node-server, so it runs on Cloudflare Workers, and --into supports only Node. Nothing was changed; see docs/serverless.md.',
    )
  }
  const { extension, form, imported } = formOf(app)
  const beside = entry === undefined ? 'src' : dirname(entry.path)
  const nest = adapter === 'fastify' ? 'nest-fastify' : 'nest-express'
  const route = readInto(`${framework === 'nest' ? nest : framework}/feed-route.${form}`)
  const files = new Map([
    [
      posix.join(beside, `feed-route${extension}`),
      route.replace('./feed-handlers.js', `./feed-handlers${imported}`),
    ],
    [posix.join(beside, `feed-handlers${extension}`), readInto(`feed-handlers.${form}`)],
  ])
  const edits = planEdits(folder, app, posix.join(beside, `feed-route${imported}`))
  return { files, edits, notes: [] }
}

/** The extension of the files, the form of the template, and the extension in an import. */
export function formOf(app: FoundApp): { extension: string; form: string; imported: string } {
  const { isTypeScript, isModule, isModulePackage, options, entry } = app
  const importsBare = !isModule && entry?.importsBare === true
  if (isTypeScript) {
    const { allowImportingTsExtensions, rewriteRelativeImportExtensions } = options
    const importsTs = allowImportingTsExtensions || rewriteRelativeImportExtensions
    // Jest and ts-node find no .ts file by the name of the compiled one, which TypeScript imports.
    const isBare = importsBare || (!isModule && options.module === 'commonjs')
    // An entry that is .mts or .cts needs files of its kind.
    const [, kind = ''] = /\.([cm])ts$/.exec(entry?.path ?? '') ?? []
    const imported = importsTs ? `.${kind}ts` : isBare && kind === '' ? '' : `.${kind}js`
    return { extension: `.${kind}ts`, form: 'ts', imported }
  }
  const isCommonJs = !isModule && !entry?.hasImports
  const isOther = isModulePackage ? isCommonJs : isModule
  const extension = isOther ? (isCommonJs ? '.cjs' : '.mjs') : '.js'
  // Node needs the extension in an import, and not in require.
  const isBare = isCommonJs ? !entry?.namesExtensions : importsBare
  const imported = isBare && extension === '.js' ? '' : extension
  return { extension, form: isCommonJs ? 'cjs' : 'js', imported }
}

/** Imports and mounts the route where the app is created, and starts the feed where it listens. */
function planEdits(folder: string, app: FoundApp, route: string): Edit[] {
  const { framework, isModule, entry } = app
  const start = { where: 'Where the app listens, which tests do not run', line: 'startFeed()' }
  const isEarly = framework === 'fastify' || framework === 'nest'
  const mount: Edit = {
    where: isEarly ? 'Before the app listens' : 'Before every body parser, login and CSRF check',
    line: mountLine(app),
    path: entry?.path,
  }
  // The route of Fastify starts with its app.
  if (framework === 'fastify') return [importEdit('feedRoute', entry?.path), mount]
  const listening = findListening(folder, entry?.path)
  if (listening === undefined || listening === entry?.path)
    return [importEdit('feedRoute, startFeed', entry?.path), mount, start]
  return [
    importEdit('feedRoute', entry?.path),
    mount,
    importEdit('startFeed', listening),
    { ...start, path: listening },
  ]

  function importEdit(names: string, path: string | undefined): Edit {
    const isRequired = !isModule && !entry?.hasImports
    const line = importLine(names, specifierOf(path ?? route, route), isRequired)
    const file = path ?? `the file that ${names === 'startFeed' ? 'listens' : 'creates the app'}`
    return { where: `At the top of ${file}`, line, path }
  }
}

/** The specifier with which a file imports another one, in quotes. */
export function specifierOf(importer: string, imported: string): string {
  const from = posix.relative(posix.dirname(importer), imported)
  return from.startsWith('.') ? `'${from}'` : `'./${from}'`
}

/** The line that imports names, or requires them. */
export function importLine(names: string, specifier: string, isRequired: boolean): string {
  return isRequired
    ? `const { ${names} } = require(${specifier})`
    : `import { ${names} } from ${specifier}`
}

function mountLine({ framework, adapter, entry }: FoundApp): string {
  const app = entry?.app ?? 'app'
  if (framework === 'hono') return `${app}.all('/webhooks/feed', feedRoute)`
  if (framework === 'nest' && adapter === 'express')
    return `${app}.use('/webhooks/feed', feedRoute)`
  if (framework === 'koa') return `${app}.use(feedRoute)`
  if (framework === 'express') return `${app}.post('/webhooks/feed', feedRoute)`
  const registered = `${app}.register(feedRoute, { path: '/webhooks/feed' })`
  return framework === 'nest' ? `await ${registered}` : registered
}

function planForNext(folder: string, app: FoundApp): PlannedFiles {
  const parent = ['', 'src'].find((path) => existsSync(join(folder, path, 'app')))
  if (parent === undefined)
    throw new CreateError(
      'no_app',
      'Found neither app/ nor src/app/, and the receiver needs the App Router. Nothing was changed.',
    )
  const files = fileRoutes(app, ['app/webhooks/feed/route'], '.', parent)
  const config = ['ts', 'mjs', 'js']
    .map((extension) => `next.config.${extension}`)
    .find((path) => existsSync(join(folder, path)))
  const where = `In the exported object of ${config ?? 'next.config.mjs'}`
  const line = "serverExternalPackages: ['@feed-receiver/inbox'],"
  const notes = [
    restartNote('next dev'),
    'Start the built app with NEXT_MANUAL_SIG_HANDLE=true next start, because Next otherwise exits on SIGTERM without waiting for handlers.',
    ...['middleware', 'proxy'].flatMap((name) => exemptNote(folder, posix.join(parent, name))),
  ]
  return { files, edits: [{ where, line, path: config }], notes }
}

/** Where development loads code again, the worker keeps the handlers that it started with. */
function restartNote(command: string): string {
  return `Restart ${command} after you change a handler, because a running worker keeps its handlers.`
}

/**
 * The files for a framework with file-based routes: the routes, and in the folder `feed` the module
 * that they and tests import, and the handlers. Paths are below `parent`, without an extension.
 */
function fileRoutes(
  { framework, isTypeScript }: FoundApp,
  routes: string[],
  feed: string,
  parent = '',
): Map<string, string> {
  const files = new Map<string, string>()
  const language = isTypeScript ? 'ts' : 'js'
  const add = (path: string, source: string) =>
    files.set(posix.join(parent, `${path}.${language}`), readInto(`${source}.${language}`))
  for (const path of routes) add(path, `${framework}/${path}`)
  add(`${feed}/feed-receiver`, `${framework}/feed-receiver`)
  add(`${feed}/feed-handlers`, 'feed-handlers')
  return files
}

function planForSvelteKit(folder: string, app: FoundApp): PlannedFiles {
  const named = packagesIn(app.manifest)
  return {
    files: fileRoutes(app, ['src/routes/webhooks/feed/+server'], 'src/lib/server'),
    edits: [],
    notes: [
      restartNote('vite dev'),
      named.has('@sveltejs/adapter-node')
        ? 'Start the built app with BODY_SIZE_LIMIT=2M, because its adapter limits bodies to 512 KB and a delivery may have 1 MiB.'
        : '',
      ...exemptNote(folder, 'src/hooks.server'),
    ].filter(Boolean),
  }
}

function planForNuxt(folder: string, app: FoundApp): PlannedFiles {
  return {
    files: fileRoutes(app, ['server/routes/webhooks/feed', 'server/plugins/feed'], 'server'),
    edits: [],
    notes: exemptNote(folder, 'server/middleware', 'reads bodies or requires a login'),
  }
}

/** The advice on a folder or file, without its extension, that runs before the routes. */
function exemptNote(folder: string, path: string, does = 'requires a login'): string[] {
  const isThere = ['', '.ts', '.js'].some((extension) => existsSync(join(folder, path + extension)))
  if (!isThere) return []
  return [`If ${path} ${does}, exempt /webhooks/feed, because a 401 or 403 pauses the feed.`]
}

function readInto(path: string): string {
  return readFileSync(new URL(`../templates/into/${path}`, import.meta.url), 'utf8')
}
