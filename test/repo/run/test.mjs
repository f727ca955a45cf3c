// npm test: all tests except slow ones. Arguments go to vitest.
import { join } from 'node:path'
import { hasPostgres } from './has-postgres.mjs'
import { ensureInstalled, requireNode, root } from './install.mjs'
import { runSteps } from './steps.mjs'
import { temporaryFolder } from './temporary-folder.mjs'

requireNode()
await ensureInstalled()
if (!process.env.TEST_DATABASE_URL && !hasPostgres()) {
  await ensureInstalled(
    join(root, 'test/support/tools'),
    'a PostgreSQL for the tests, since there is none here,',
    ' Or install one with your system, or set TEST_DATABASE_URL to the URL of one.',
  )
}
// Both databases run the same statements, so most tests need only one of them.
const eachStatementOnce = process.env.TEST_EVERY_WAY ? [] : ['--tags-filter=!pglite || embedded']
process.exitCode = await runSteps([
  {
    name: 'tests',
    tests: ['--project=quick', ...eachStatementOnce, ...process.argv.slice(2)],
    env: temporaryFolder(),
    isShown: true,
  },
])
