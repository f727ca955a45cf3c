// Builds the packages, and the programs that tests start, if their sources are newer.
import { join } from 'node:path'
import { alone } from './alone.mjs'
import { buildPages } from './build-pages.mjs'
import { root, run } from './install.mjs'

const tsc = join(root, 'node_modules/typescript/bin/tsc')

/** Ends the process if something does not build. Takes some seconds, or a tenth of one. */
export async function build() {
  await alone(join(root, '.building'), 'building the packages', () => {
    buildPages()
    const status = run('node', [tsc, '-b', 'packages', 'test'])
    if (status !== 0) process.exit(status)
  })
}

/** For vitest, so that a single test file starts the latest code. */
export { build as setup }
