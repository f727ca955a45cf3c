// npm test: everything but what takes long. Arguments go on to vitest.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled, requireNode, root, run } from './install.mjs'

requireNode()
ensureInstalled()
if (!process.env.TEST_DATABASE_URL && !hasPostgres()) {
  ensureInstalled(join(root, 'test/tools'), 'a PostgreSQL for the tests, since there is none here,')
}
process.exitCode = run('npx', ['vitest', 'run', ...process.argv.slice(2)])

function hasPostgres() {
  const debian = '/usr/lib/postgresql'
  const folders = [
    ...(process.env.PATH ?? '').split(':'),
    ...(existsSync(debian)
      ? readdirSync(debian).map((version) => join(debian, version, 'bin'))
      : []),
  ]
  return folders.some((folder) => existsSync(join(folder, 'initdb')))
}
