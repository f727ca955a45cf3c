import { join } from 'node:path'
import { frameworks, type Framework } from './context.ts'
import { readThere } from './env-file.ts'
import { problem } from './errors.ts'
import { findEntry } from './find-entry.ts'
import { readManifest, versionsIn, type Manifest } from './manifest.ts'

/** An app that somebody has. */
export type FoundApp = ReturnType<typeof findApp>

/** Looks at the app in a folder. Errors: `no_app`, `unreadable_file`. */
export function findApp(folder: string, wanted: Framework | undefined) {
  const manifestText = readThere(folder, 'package.json')
  if (manifestText === undefined) throw problem('no_app', 'no_manifest', { folder })
  const manifest = readManifest(manifestText, join(folder, 'package.json'))
  const framework = wanted ?? findFramework(manifest)
  const entry = framework === 'next' ? undefined : findEntry(folder, framework)
  const config = readThere(folder, 'tsconfig.json')
  const isModulePackage = manifest['type'] === 'module'
  return {
    framework,
    /** The text of its package.json, and what that says. */
    manifestText,
    manifest,
    isTypeScript: entry === undefined ? config !== undefined : /\.[cm]?tsx?$/.test(entry.path),
    /** Whether its entry is an ES module. */
    isModule: isModuleByName(entry?.path) ?? isModulePackage,
    /** Whether a `.js` file of it is one. */
    isModulePackage,
    /** Whether its imports name .ts files. */
    importsTs: /"(?:allowImportingTs|rewriteRelativeImport)Extensions"\s*:\s*true/.test(
      config ?? '',
    ),
    /** The file in which the framework's app is made, where one was found. */
    entry,
  }
}

/** What the extension says, which goes before `type`; undefined where it says nothing. */
function isModuleByName(path = ''): boolean | undefined {
  if (/\.m[jt]s$/.test(path)) return true
  return /\.c[jt]s$/.test(path) ? false : undefined
}

// Next and Fastify first: an app on them may have Express for something else.
const byRank: readonly Framework[] = ['next', 'fastify', 'koa', 'express']

function findFramework(manifest: Manifest): Framework {
  const installed = versionsIn(manifest, 'dependencies')
  const found = byRank.find((framework) => framework in installed)
  if (found) return found
  throw problem('no_app', 'no_framework', { frameworks: frameworks.join(', ') })
}
