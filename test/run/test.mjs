// npm test: all tests except slow ones. Arguments go to vitest.
import { join } from 'node:path'
import { hasPostgres } from './has-postgres.mjs'
import { ensureInstalled, requireNode, root } from './install.mjs'
import { runWithoutSecrets } from './run-without-secrets.mjs'

requireNode()
await ensureInstalled()
if (!process.env.TEST_DATABASE_URL && !hasPostgres()) {
  await ensureInstalled(
    join(root, 'test/tools'),
    'a PostgreSQL for the tests, since there is none here,',
  )
}
process.exitCode = await runWithoutSecrets('npx', ['vitest', 'run', ...process.argv.slice(2)])
