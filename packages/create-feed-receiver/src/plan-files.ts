import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { CreateError } from './errors.ts'
import type { FoundApp } from './find-app.ts'
import { versionsIn, type Manifest } from './manifest.ts'

/** The lines that the owner of the app adds. */
export interface Mounting {
  /** Mounts the route, or configures the framework. */
  line: string
  /** The place to add it. */
  place: string
  /** Starts the feed where the app listens; undefined if the framework or the route does so. */
  startLine?: string
  /** An import that the lines need at the top of their file. */
  importLine?: string
}

/** The route and the handlers for an app. */
export interface PlannedFiles {
  /** The contents by path. */
  files: Map<string, string>
  /** Undefined if the files are enough. */
  mounting?: Mounting
  /** Advice about the framework for the owner of the app. */
  notes: string[]
}

/** Errors: `no_app` if Next has no App Router, or Hono runs on Workers. */
export function planFiles(folder: string, app: FoundApp): PlannedFiles {
  if (app.framework === 'next') return planForNext(folder, app)
  if (app.framework === 'sveltekit') return planForSvelteKit(folder, app)
  return app.framework === 'nuxt' ? planForNuxt(folder, app) : planRoute(app)
}

function planRoute(app: FoundApp): PlannedFiles {
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
  const mounting = planMounting(app, `'./feed-route${imported}'`)
  return { files, mounting, notes: adviseOnTests(app) }
}

/** The test runners, by what a script or a development dependency calls them. */
const testRunners = [
  ['Vitest', /\bvitest\b/],
  ['Jest', /\bjest\b/],
  ['Mocha', /\bmocha\b/],
  ['AVA', /\bava\b/],
  ['the runner of Node', /\bnode\b.* --test\b/],
] as const

function adviseOnTests({ manifest }: FoundApp): string[] {
  const scripts = Object.values(versionsIn(manifest, 'scripts')).join('\n')
  const tools = Object.keys(versionsIn(manifest, 'devDependencies')).join('\n')
  const [runner] = testRunners.find(([, form]) => form.test(scripts) || form.test(tools)) ?? []
  if (runner === undefined) return []
  return [
    `Your tests use ${runner}. To handle events in one, set the database of the inbox to one for tests before it imports feed-route, call startFeed() and at the end stopFeed(); retryNow() skips the backoff.`,
  ]
}

/** The extension of the files, the form of the template, and the extension in an import. */
function formOf(app: FoundApp): { extension: string; form: string; imported: string } {
  const { isTypeScript, isModule, isModulePackage, options, entry } = app
  if (isTypeScript) {
    const { allowImportingTsExtensions, rewriteRelativeImportExtensions } = options
    const importsTs = allowImportingTsExtensions || rewriteRelativeImportExtensions
    // Jest and ts-node find no .ts file by the name of the compiled one, which TypeScript imports.
    const isBare = !isModule && (options.module === 'commonjs' || entry?.importsBare === true)
    // An entry that is .mts or .cts needs files of its kind.
    const [, kind = ''] = /\.([cm])tsx?$/.exec(entry?.path ?? '') ?? []
    const imported = importsTs ? `.${kind}ts` : isBare && kind === '' ? '' : `.${kind}js`
    return { extension: `.${kind}ts`, form: 'ts', imported }
  }
  const isCommonJs = !isModule && !entry?.hasImports
  const isOther = isModulePackage ? isCommonJs : isModule
  const extension = isOther ? (isCommonJs ? '.cjs' : '.mjs') : '.js'
  return { extension, form: isCommonJs ? 'cjs' : 'js', imported: extension }
}

function planMounting(app: FoundApp, specifier: string): Mounting {
  const { framework, isModule, entry } = app
  const isEarly = framework === 'fastify' || framework === 'nest'
  const moment = isEarly ? 'before the app listens' : 'before every body parser'
  const place = `To ${entry?.path ?? 'the file that creates the app'}, ${moment}`
  const importLine = `import { feedRoute, startFeed } from ${specifier}`
  // Only an ES module may await an import at its top level, not code that compiles to
  // CommonJS.
  if (isModule && entry?.isInFunction === false) {
    const line = mountLine(app, `(await import(${specifier})).feedRoute`)
    // Not in parentheses, which would call the line before in code without semicolons.
    return { line, startLine: `await import(${specifier}).then((feed) => feed.startFeed())`, place }
  }
  if (isModule || entry?.hasImports) {
    return { line: mountLine(app, 'feedRoute'), startLine: 'startFeed()', place, importLine }
  }
  const required = `require(${specifier})`
  return {
    line: mountLine(app, `${required}.feedRoute`),
    startLine: `${required}.startFeed()`,
    place,
  }
}

function mountLine({ framework, adapter, entry }: FoundApp, feedRoute: string): string {
  const app = entry?.app ?? 'app'
  if (framework === 'hono') return `${app}.all('/webhooks/feed', ${feedRoute})`
  if (framework === 'nest' && adapter === 'express') {
    return `${app}.use('/webhooks/feed', ${feedRoute})`
  }
  if (framework === 'koa') return `${app}.use(${feedRoute})`
  if (framework === 'express') return `${app}.post('/webhooks/feed', ${feedRoute})`
  const registered = `${app}.register(${feedRoute}, { path: '/webhooks/feed' })`
  return framework === 'nest' ? `await ${registered}` : registered
}

function planForNext(folder: string, { isTypeScript }: FoundApp): PlannedFiles {
  const parent = ['', 'src'].find((path) => existsSync(join(folder, path, 'app')))
  if (parent === undefined)
    throw new CreateError(
      'no_app',
      'Found neither app/ nor src/app/, and the receiver needs the App Router. Nothing was changed.',
    )
  const language = isTypeScript ? 'ts' : 'js'
  const route = `app/webhooks/feed/route.${language}`
  const files = new Map([
    [posix.join(parent, route), readInto(`next/${route}`)],
    [posix.join(parent, `feed-handlers.${language}`), readInto(`feed-handlers.${language}`)],
  ])
  const line = "serverExternalPackages: ['@feed-receiver/inbox'],"
  return { files, mounting: { line, place: 'To the exported object in next.config' }, notes: [] }
}

function planForSvelteKit(folder: string, { isTypeScript, manifest }: FoundApp): PlannedFiles {
  const language = isTypeScript ? 'ts' : 'js'
  const route = `src/routes/webhooks/feed/+server.${language}`
  const files = new Map([
    [route, readInto(`sveltekit/${route}`)],
    [`src/lib/server/feed-handlers.${language}`, readInto(`feed-handlers.${language}`)],
  ])
  const named = packagesIn(manifest)
  const hasHooks = ['ts', 'js'].some((one) => existsSync(join(folder, `src/hooks.server.${one}`)))
  return {
    files,
    notes: [
      named.has('@sveltejs/adapter-node')
        ? 'Start the built app with BODY_SIZE_LIMIT=2M, because its adapter limits bodies to 512 KB and a delivery may have 1 MiB.'
        : '',
      hasHooks
        ? 'If src/hooks.server requires a login, exempt /webhooks/feed, because a 401 or 403 pauses the feed.'
        : '',
    ].filter(Boolean),
  }
}

function planForNuxt(folder: string, { isTypeScript }: FoundApp): PlannedFiles {
  const language = isTypeScript ? 'ts' : 'js'
  const paths = ['server/routes/webhooks/feed', 'server/plugins/feed']
  return {
    files: new Map([
      ...paths.map(
        (path) => [`${path}.${language}`, readInto(`nuxt/${path}.${language}`)] as const,
      ),
      [`server/feed-handlers.${language}`, readInto(`feed-handlers.${language}`)],
    ]),
    notes: existsSync(join(folder, 'server/middleware'))
      ? [
          'If server/middleware reads bodies or requires a login, exempt /webhooks/feed, because a 401 or 403 pauses the feed.',
        ]
      : [],
  }
}

function packagesIn(manifest: Manifest): Set<string> {
  return new Set(
    ['dependencies', 'devDependencies'].flatMap((member) =>
      Object.keys(versionsIn(manifest, member)),
    ),
  )
}

function readInto(path: string): string {
  return readFileSync(new URL(`../templates/into/${path}`, import.meta.url), 'utf8')
}
