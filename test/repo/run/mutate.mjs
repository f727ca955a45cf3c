// npm run mutate: changes the code of a folder, one place at a time, and lists the changes that no
// test notices. It takes minutes for core, and hours for the inbox.
import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { hasPostgres } from './has-postgres.mjs'
import { ensureInstalled, requireNode, root } from './install.mjs'

const usage = `npm run mutate -- <folder or file> ... [--tests <glob>] ...

Changes the code one place at a time, and runs the tests that cover it. Prints the score and the
changes that no test noticed, and writes .mutation/report.html and report.json.

  packages/core/src            a folder of a package
  packages/sender/src/sign.ts  or a file
  --tests <glob>               only these test files; otherwise all of the package, and for core the
                               contract of fetch
`
const tools = join(root, 'test/support/tools/mutation')

const { targets, tests } = readArguments()
requireNode()
await ensureInstalled()
await ensureInstalled(tools, 'Stryker')
if (!process.env.TEST_DATABASE_URL && !hasPostgres()) {
  await ensureInstalled(join(root, 'test/support/tools'), 'a PostgreSQL for the tests')
}
const installed = createRequire(join(tools, 'package.json'))
const { Stryker } = await import(pathToFileURL(installed.resolve('@stryker-mutator/core')).href)
process.chdir(root)
const results = await new Stryker({
  testRunner: 'vitest',
  plugins: [installed.resolve('@stryker-mutator/vitest-runner')],
  mutate: [...targets.map(toGlob), '!**/*.test.ts', '!**/*.d.ts'],
  testFiles: tests,
  vitest: { related: false },
  coverageAnalysis: 'perTest',
  // Each runs a PostgreSQL of its own.
  concurrency: 2,
  timeoutMS: 20_000,
  // The tests build the packages first, and a change may be no valid TypeScript.
  disableTypeChecks: 'packages/*/src/**/*.ts',
  // Stryker reads it with another version of TypeScript than the repository has.
  tsconfigFile: 'none',
  ignorePatterns: [
    'dist',
    'docs',
    'proof',
    '.flaky',
    '.mutation',
    'test/support/tools',
    'test/.built',
  ],
  symlinkNodeModules: false,
  buildCommand: 'node test/repo/run/link-packages.mjs ../../..',
  tempDirName: '.mutation/copies',
  reporters: [
    process.stderr.isTTY ? 'progress' : 'progress-append-only',
    'clear-text',
    'html',
    'json',
  ],
  clearTextReporter: { allowColor: process.stdout.isTTY, logTests: false, reportTests: false },
  htmlReporter: { fileName: '.mutation/report.html' },
  jsonReporter: { fileName: '.mutation/report.json' },
}).runMutationTest()
if (results.length === 0) {
  console.error('There is nothing to change in these files.')
  process.exitCode = 2
}

function readArguments() {
  const { values, positionals } = parse()
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  if (positionals.length === 0) fail(usage)
  const found = positionals.map((path) => relative(root, resolve(path)))
  for (const path of found) {
    if (!existsSync(join(root, path))) fail(`There is no ${path}.`)
    if (!/^packages\/[^/]+\/src(\/|$)/.test(path)) {
      fail(`${path} is no source of a package. Use a path such as packages/core/src.`)
    }
  }
  return { targets: found, tests: values.tests ?? [...new Set(found.flatMap(testsOf))] }
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean' }, tests: { type: 'string', multiple: true } },
    })
  } catch (error) {
    return fail(`${error.message}\n\n${usage}`)
  }
}

function fail(message) {
  console.error(message)
  process.exit(2)
}

function testsOf(path) {
  const name = path.split('/')[1]
  const own = `packages/${name}/src/**/*.test.ts`
  return name === 'core' ? [own, 'test/contract/fetch.test.ts'] : [own]
}

function toGlob(path) {
  return statSync(join(root, path)).isDirectory() ? `${path}/**/*.ts` : path
}
