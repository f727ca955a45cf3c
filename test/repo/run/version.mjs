// npm run release:version: raises the versions of all packages by their changesets.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addRelease } from './changelog.mjs'
import { requireNode, root, run } from './install.mjs'

// Changesets fails on an older one without saying why.
requireNode([22, 11])
const changesets = readChangesets()
const before = readVersion()
must('node', [join(root, 'node_modules/@changesets/cli/bin.js'), 'version'])
const after = readVersion()
if (after === before) {
  console.log(`No changeset raises the version, so it is still ${before}.`)
} else {
  edit('CHANGELOG.md', (text) => addRelease(text, after, changesets))
  edit('packages/client/src/mcp.ts', (text) =>
    text.replace(`version: '${before}'`, `version: '${after}'`),
  )
  for (const path of listFollowers()) edit(path, raise)
  must('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'])
  must('npx', ['oxfmt', 'CHANGELOG.md', 'packages/*/CHANGELOG.md'])
  console.log(`Raised the versions from ${before} to ${after}.`)
}

/** Changesets deletes them when it raises the versions. */
function readChangesets() {
  const folder = join(root, '.changeset')
  const names = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md')
  return names.toSorted().map((name) => readFileSync(join(folder, name), 'utf8'))
}

function readVersion() {
  return JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8')).version
}

/** Changesets leaves out private packages, and folders outside the workspaces. */
function listFollowers() {
  const patterns = ['examples/**/package.json', 'templates/**/package.json']
  return execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
}

/** Raises the versions of our packages in a manifest. */
function raise(manifest) {
  return manifest.replaceAll(
    /("(?:@feed-receiver\/[a-z-]+|feed-receiver)": ")([^"]+)"/g,
    (whole, name, version) => (version === before ? `${name}${after}"` : whole),
  )
}

function edit(path, change) {
  const file = join(root, path)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

function must(command, args) {
  const status = run(command, args)
  if (status !== 0) process.exit(status)
}
