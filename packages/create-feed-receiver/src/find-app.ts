import { join } from 'node:path'
import { appFrameworks, type AppFramework } from './context.ts'
import { readThere } from './env-file.ts'
import { CreateError } from './errors.ts'
import { findEntry, type Entry } from './find-entry.ts'
import { readManifest, versionsIn, type Manifest } from './manifest.ts'
import { readCompilerOptions, type CompilerOptions } from './read-tsconfig.ts'

/** An app to which `--into` adds the feed. */
export interface FoundApp {
  framework: AppFramework
  /** Our package that mounts the receiver; undefined if the core does. */
  adapter: 'express' | 'koa' | 'fastify' | 'next' | undefined
  /** The text of its package.json, and the parsed object. */
  manifestText: string
  manifest: Manifest
  isTypeScript: boolean
  /** Whether its entry is an ES module. */
  isModule: boolean
  /** Whether its `.js` files are ES modules. */
  isModulePackage: boolean
  options: CompilerOptions
  /** The file that creates the framework's app, if found. */
  entry: Entry | undefined
}

/** Inspects the app in a folder. Errors: `no_app`, `unreadable_file`. */
export function findApp(folder: string, wanted: AppFramework | undefined): FoundApp {
  const manifestText = readThere(folder, 'package.json')
  if (manifestText === undefined)
    throw new CreateError(
      'no_app',
      `${folder} has no package.json, so nothing was changed. Pass the folder of the app to --into.`,
    )
  const manifest = readManifest(manifestText, join(folder, 'package.json'))
  const framework = wanted ?? findFramework(manifest)
  const entry = hasFileRoutes(framework) ? undefined : findEntry(folder, framework)
  const options = readCompilerOptions(folder)
  const hasConfig = readThere(folder, 'tsconfig.json') !== undefined
  const isModulePackage = manifest['type'] === 'module'
  return {
    framework,
    adapter: findAdapter(framework, manifest, entry?.text),
    manifestText,
    manifest,
    isTypeScript: entry === undefined ? hasConfig : /\.[cm]?ts$/.test(entry.path),
    isModule: isModuleByName(entry?.path) ?? isModulePackage,
    isModulePackage,
    options,
    entry,
  }
}

/**
 * The module type by the extension, which overrides `type`; undefined if the extension has none.
 */
function isModuleByName(path = ''): boolean | undefined {
  if (/\.m[jt]s$/.test(path)) return true
  return /\.c[jt]s$/.test(path) ? false : undefined
}

/** Frameworks with file-based routes, in which no file creates an app. */
const fileRouted = ['next', 'sveltekit', 'nuxt'] as const

function hasFileRoutes(framework: AppFramework): framework is (typeof fileRouted)[number] {
  return fileRouted.some((one) => one === framework)
}

/**
 * The package of each framework, by rank: an app on one of them may use a later one for something
 * else.
 */
const packages = new Map<string, AppFramework>([
  ['next', 'next'],
  ['@sveltejs/kit', 'sveltekit'],
  ['nuxt', 'nuxt'],
  ['@nestjs/core', 'nest'],
  ['fastify', 'fastify'],
  ['koa', 'koa'],
  ['express', 'express'],
  ['hono', 'hono'],
])

/** An app may list these among its development dependencies, because the build bundles them. */
const bundled: ReadonlySet<string> = new Set(['@sveltejs/kit', 'nuxt'])

function findFramework(manifest: Manifest): AppFramework {
  const installed = versionsIn(manifest, 'dependencies')
  const tools = versionsIn(manifest, 'devDependencies')
  for (const [name, framework] of packages) {
    if (name in installed || (bundled.has(name) && name in tools)) return framework
  }
  const names = [...packages.keys()].join(', ')
  throw new CreateError(
    'no_app',
    `The dependencies in package.json include none of ${names}, so nothing was changed. If the app uses one of them anyway, pass --template with one of ${appFrameworks.join(', ')}; for other frameworks see docs/frameworks and docs/platforms.`,
  )
}

function findAdapter(framework: AppFramework, manifest: Manifest, text = ''): FoundApp['adapter'] {
  if (framework === 'hono' || framework === 'sveltekit' || framework === 'nuxt') return undefined
  if (framework !== 'nest') return framework
  const installed = versionsIn(manifest, 'dependencies')
  const isOnFastifyAlone =
    '@nestjs/platform-fastify' in installed && !('@nestjs/platform-express' in installed)
  return isOnFastifyAlone || /\bFastifyAdapter\b/.test(text) ? 'fastify' : 'express'
}
