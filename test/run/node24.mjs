// Finds the second Node that the kit is tested on, from npm, since a machine has one Node as a rule.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'

/** The folder that holds the executable; ends the process where there is none for this platform. */
export function findNode24() {
  const name = `node-${process.platform}-${process.arch}`
  const folder = join(root, 'test/tools/node_modules', name, 'bin')
  if (existsSync(join(folder, 'node'))) return folder
  console.error(
    `npm has no ${name}@24 here. Run: cd test/tools && npm install --save-optional ${name}@24`,
  )
  return process.exit(2)
}
