import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative, sep } from 'node:path'
import { listFiles, root } from './workspaces.ts'

/** Lists files that a package must not publish, and files that it would leave out. */
export function findContentProblems(folder: string, paths: string[]): string[] {
  return [
    ...findStrays(paths),
    ...findMissing(folder, paths),
    ...checkLicence(folder),
    ...checkMaps(folder, paths),
    ...checkDeclarations(folder, paths),
  ]
}

function findStrays(paths: string[]): string[] {
  return paths.filter(isStray).map((path) => `${path} would be published.`)
}

/** Files that users read, that the code reads at run time, or that source maps name. */
function findMissing(folder: string, paths: string[]): string[] {
  const isBuilt = existsSync(join(folder, 'page/src'))
  const parts = ['sql', 'src', ...(isBuilt ? [] : ['page'])]
    .map((name) => join(folder, name))
    .filter((part) => existsSync(part))
  const needed = parts
    .flatMap((part) => listFiles(part, (path) => !isStray(path)))
    .map((path) => relative(folder, path).replaceAll(sep, '/'))
  const page = isBuilt ? ['dist/page/index.html'] : []
  return ['README.md', 'LICENSE', ...page, ...needed]
    .filter((path) => !paths.includes(path))
    .map(
      (path) =>
        `${path} would not be published. Check that it exists and is in "files" of package.json.`,
    )
}

function isStray(path: string): boolean {
  // The tests of a template belong to its users.
  return /^(?!.*\btemplates\/).*\.test\.|tsbuildinfo|page\/tsconfig/.test(path)
}

/** npm packs only the licence in the folder of the package, so each has a copy. */
function checkLicence(folder: string): string[] {
  const copy = join(folder, 'LICENSE')
  if (!existsSync(copy)) return []
  const isSame = readFileSync(copy, 'utf8') === readFileSync(join(root, 'LICENSE'), 'utf8')
  return isSame
    ? []
    : [`LICENSE differs from that of the repository. Run: cp LICENSE ${relative(root, copy)}`]
}

/**
 * TypeScript omits the import attribute in declarations, and then rejects them with `module:
 * nodenext`.
 */
function checkDeclarations(folder: string, paths: string[]): string[] {
  return paths
    .filter((path) => path.endsWith('.d.ts'))
    .filter((path) => /from '[^']+\.json'/.test(readFileSync(join(folder, path), 'utf8')))
    .map(
      (path) =>
        `${path} imports a JSON file. Derive its types from a copy: const texts = { ...json }.`,
    )
}

/**
 * Every module needs a map, and every map may only name published sources, so that none is stale.
 */
function checkMaps(folder: string, paths: string[]): string[] {
  const unmapped = paths
    .filter((path) => path.startsWith('dist/') && /\.(?:js|d\.ts)$/.test(path))
    // The browser files from Vite are small and minified, and their sources are not published.
    .filter((path) => !path.startsWith('dist/page/'))
    // Copies of declarations, which name the maps of the originals.
    .filter((path) => !path.startsWith('dist/commonjs/'))
    .filter((path) => !paths.includes(`${path}.map`))
    // An entry that only passes on what a chunk exports has no line of a source.
    .filter(
      (path) =>
        !/^(?:export \{[^}]*\} from "[^"]+";\s*)+$/.test(readFileSync(join(folder, path), 'utf8')),
    )
    .map((path) => `${path} has no source map.`)
  const unresolved = paths
    .filter((path) => path.endsWith('.map'))
    .flatMap((path) => sourcesOf(folder, path).map((source) => ({ path, source })))
    .filter(({ source }) => !paths.includes(source))
    .map(
      ({ path, source }) =>
        `${path} names ${source}, which would not be published. If that file was deleted: ` +
        `rm -r packages/${basename(folder)}/dist && npm run build`,
    )
  return [...unmapped, ...unresolved]
}

function sourcesOf(folder: string, path: string): string[] {
  const map = JSON.parse(readFileSync(join(folder, path), 'utf8')) as { sources: string[] }
  return map.sources.map((source) => posix.join(dirname(path), source))
}
