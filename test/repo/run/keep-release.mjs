// npm run release:keep: packs this version for the upgrade tests of the next one. The argument is
// another checkout that is built, by default this one.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { root, run } from './install.mjs'

const packages = ['core', 'database', 'inbox', 'express']
const folder = join(root, 'test/compat/upgrade/previous')

const [checkout = root] = process.argv.slice(2).map((path) => resolve(path))
if (checkout === root) must('npx', ['tsc', '-b', ...packages.map((name) => `packages/${name}`)])
mkdirSync(folder, { recursive: true })
for (const name of listTarballs()) rmSync(join(folder, name))
const folders = packages.map((name) => join(checkout, 'packages', name))
must('npm', ['pack', '--silent', '--pack-destination', folder, ...folders])

const { version } = JSON.parse(readFileSync(join(checkout, 'packages/core/package.json'), 'utf8'))
// The commit that raises the versions to these does not exist yet, so this is the one before.
const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout, encoding: 'utf8' })
const release = { version, revision: head.trim() }
writeFileSync(join(folder, 'release.json'), `${JSON.stringify(release, null, 2)}\n`)
console.log(`Packed ${listTarballs().join(', ')}.`)

function listTarballs() {
  return readdirSync(folder).filter((name) => name.endsWith('.tgz'))
}

function must(command, args) {
  const status = run(command, args)
  if (status !== 0) process.exit(status)
}
