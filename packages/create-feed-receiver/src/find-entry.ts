import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findAppCall, findPlugin, type MadeFramework } from './find-app-call.ts'

/** The file that creates the framework's app, or that contains a plugin of it. */
export interface Entry {
  path: string
  /** The variable that holds the app. */
  app: string
  /** Without comments. */
  text: string
  /** Whether it uses `import` or `export`, however it runs. */
  hasImports: boolean
  /** Whether it names files of the app without an extension. */
  importsBare: boolean
  /** Whether it names files of the app with an extension. */
  namesExtensions: boolean
}

/** Of several files the least deep. Plugins count only if no file creates an app. */
export function findEntry(folder: string, framework: MadeFramework): Entry | undefined {
  const sources = readSources(folder).map(({ path, text }) => ({ path, text: withoutNotes(text) }))
  const finders = framework === 'fastify' ? [findAppCall, findPlugin] : [findAppCall]
  for (const find of finders) {
    for (const { path, text } of sources) {
      const app = find(text, framework)
      if (app === undefined) continue
      const hasImports = /^(?:import|export)\b/m.test(text)
      const importsBare = bareImport.test(text)
      return { path, text, app, hasImports, importsBare, namesExtensions: fullImport.test(text) }
    }
  }
  return undefined
}

const fullImport = /\b(?:from|require\()\s*['"]\.\.?\/[^'"]*\.[cm]?[jt]s['"]/
const bareImport = /\b(?:from|require\()\s*['"]\.\.?\/(?![^'"]*\.(?:[cm]?[jt]s|json)['"])/

// A subclass of Koa calls super.listen.
const listens = /(?:(?<!\bsuper)\.listen|\bserve)\(/

/** The file in which the app listens, preferably the one that creates it. */
export function findListening(folder: string, entry: string | undefined): string | undefined {
  const found = readSources(folder).filter(({ text }) => listens.test(withoutNotes(text)))
  return (found.find(({ path }) => path === entry) ?? found[0])?.path
}

/** Whether a file creates an inbox, so that its app receives the feed already. A script does not. */
export function createsInbox({ path, text }: { path: string; text: string }): boolean {
  if (/(?:^|\/)scripts\//.test(path) || !text.includes('@feed-receiver/inbox')) return false
  return /\bcreateInbox[<(]/.test(withoutNotes(text))
}

/** The source files of an app with their texts, the least deep first. */
export function readSources(folder: string): { path: string; text: string }[] {
  return listSources(folder, '', 3)
    .toSorted((a, b) => a.split('/').length - b.split('/').length || a.localeCompare(b))
    .map((path) => ({ path, text: readSource(join(folder, path)) }))
}

/** Empty for a file that cannot be read or is too large for code, such as a link without a target. */
function readSource(file: string): string {
  return ifReadable(
    () => (statSync(file).size > maxSourceBytes ? '' : readFileSync(file, 'utf8')),
    '',
  )
}

const maxSourceBytes = 1024 * 1024

const leftOut = /^(?:node_modules|dist|build|coverage|\..*|tests?|e2e|__tests__)$/

/** Whether a folder is another package of a monorepo. */
function isPackage(folder: string): boolean {
  return /"name"\s*:/.test(readSource(join(folder, 'package.json')))
}

function listSources(root: string, below: string, depth: number): string[] {
  // The folder of a database in a container belongs to another user.
  const entries = ifReadable(() => readdirSync(join(root, below), { withFileTypes: true }), [])
  return entries.flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) {
      const isLeftOut = depth === 0 || leftOut.test(entry.name) || isPackage(join(root, path))
      return isLeftOut ? [] : listSources(root, path, depth - 1)
    }
    // The generator of Express calls its program bin/www.
    return /\.[cm]?[jt]s$|^bin\/www$/.test(path) && !/\.(?:test|spec|config|d)\./.test(path)
      ? [path]
      : []
  })
}

function ifReadable<Result>(read: () => Result, otherwise: Result): Result {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** Removes comment lines, which may contain disabled code. */
export function withoutNotes(text: string): string {
  return text.replaceAll(/^[ \t]*(?:\/\/|\/?\*).*$/gm, '')
}
