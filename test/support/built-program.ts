import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('../..', import.meta.url))
const built = join('test', '.built')
/** Of the repository, also for what runs from below `test/.built`. */
export const repository = here.endsWith(`${built}/`) ? here.slice(0, -built.length - 1) : here

/**
 * Where `test/run/build.mjs` has put a program of this repository, to run without a transpiler: of a
 * package beside its other files, all else below `test/.built`. `test/tsconfig.json` says what all is.
 */
export function builtProgram(source: URL | string): string {
  const path = relative(repository, source instanceof URL ? fileURLToPath(source) : source)
  if (path.startsWith('..') || path.startsWith(built))
    return join(repository, path).replace(/ts$/, 'js')
  const [, name, inPackage] = /^packages\/([^/]+)\/src\/(.*)\.ts$/.exec(path) ?? []
  if (name !== undefined) return join(repository, 'packages', name, 'dist', `${inPackage}.js`)
  return join(repository, built, path).replace(/ts$/, 'js')
}
