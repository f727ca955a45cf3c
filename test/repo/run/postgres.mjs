// npm run test:postgres -- 14: runs npm test on that PostgreSQL. Further arguments go to vitest.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled, requireNode, root, run } from './install.mjs'

const versions = ['14', '15', '16', '17', '18']

requireNode()
const [version, ...args] = process.argv.slice(2)
if (!versions.includes(version)) {
  console.error(`Give one of ${versions.join(', ')}: npm run test:postgres -- ${versions[0]}`)
  process.exit(2)
}
const folder = join(root, 'test/support/tools/postgres')
await ensureInstalled(folder, `PostgreSQL ${versions[0]} to ${versions.at(-1)}`)
const { platform, arch } = process
const binaries = join(folder, `node_modules/postgres-${version}-${platform}-${arch}/native/bin`)
if (!existsSync(join(binaries, 'postgres'))) {
  console.error(
    `There is no PostgreSQL ${version} for ${platform}-${arch} in test/support/tools/postgres.`,
  )
  process.exit(2)
}
process.exitCode = run('node', ['test/repo/run/test.mjs', ...args], {
  env: { ...process.env, TEST_POSTGRES_BINARIES: binaries },
})
