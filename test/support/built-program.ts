import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('../..', import.meta.url))
const built = join('test', '.built')
/** The root of the repository, also for code that runs from `test/.built`. */
export const repository = here.endsWith(`${built}/`) ? here.slice(0, -built.length - 1) : here

/**
 * Options of Node for a program that runs for seconds. Optimizing the code of PGlite costs it more
 * than that code then saves.
 */
export const shortLived = ['--liftoff-only']

/**
 * The output of `test/repo/run/build.mjs` for a program of this repository, to run without a transpiler.
 * A program of a package is beside its other files, any other below `test/.built`.
 * `test/tsconfig.json` lists the programs.
 */
export function builtProgram(source: URL | string): string {
  const path = relative(repository, source instanceof URL ? fileURLToPath(source) : source)
  if (path.startsWith('..') || path.startsWith(built))
    return join(repository, path).replace(/ts$/, 'js')
  const [, name, inPackage] = /^packages\/([^/]+)\/src\/(.*)\.ts$/.exec(path) ?? []
  if (name !== undefined) return join(repository, 'packages', name, 'dist', `${inPackage}.js`)
  return join(repository, built, path).replace(/ts$/, 'js')
}
