// Builds the packages, and the programs that tests start, if their sources are newer.
import { join } from 'node:path'
import { alone } from './alone.mjs'
import { buildPages } from './build-pages.mjs'
import { root, run } from './install.mjs'

const tsc = join(root, 'node_modules/typescript/bin/tsc')
const bundle = join(root, 'packages/bundle-entries.mjs')

/** Ends the process if something does not build. Takes some seconds, or a tenth of one. */
export async function build() {
  await alone(join(root, '.building'), 'building the packages', () => {
    buildPages()
    for (const command of [[tsc, '-b', 'packages', 'test'], [bundle]]) {
      const status = run('node', command)
      if (status !== 0) process.exit(status)
    }
  })
}

/** For vitest, so that a single test file starts the latest code. */
export { build as setup }
