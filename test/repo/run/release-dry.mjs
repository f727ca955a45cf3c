// npm run release:dry: shows what a release would publish, and publishes it to a local registry.
// Then npm create makes an app from there, and runs its tests, or the registry stays for a person.
// Nothing leaves this machine.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureInstalled, requireNode, root, run } from './install.mjs'

const help = `npm run release:dry [-- --keep [--port <number>]]

Lists the contents of each package, publishes all of them to a local registry, creates an app from
there with npm create feed-receiver, and runs its tests.

  --keep           publish to the registry only, and keep it until Ctrl+C, so that you can try the
                   packages in another terminal as if they were on npm
  --port <number>  the port of the registry; any free one by default
  -h, --help       show this help`

requireNode()
const options = readOptions(process.argv.slice(2))
if (options.help) console.log(help)
else await rehearse(options)

async function rehearse({ keep, port }) {
  if (keep) await requireFree(port)
  await ensureInstalled()
  await ensureInstalled(join(root, 'test/support/tools/stranger'), 'a registry and pnpm')
  if (run('npm', ['run', '--silent', 'build']) !== 0) process.exit(1)
  showPackages()
  if (keep) await keepRegistry(port)
  else process.exitCode = createApp()
}

function readOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        keep: { type: 'boolean', default: false },
        port: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const { port = '0' } = values
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
      throw new Error(`--port must be a number up to 65535, not ${port}`)
    }
    if (values.port !== undefined && !values.keep) throw new Error('--port needs --keep')
    return { ...values, port: Number(port) }
  } catch (error) {
    return fail(`${error.message.split('. ')[0]}. See: npm run release:dry -- --help`)
  }
}

/** Ends the process if another one listens on the port, because the build takes a minute. */
async function requireFree(port) {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    fail(`The registry cannot listen on port ${port} (${error.code}). Choose another with --port.`)
  }
  server.close()
  await once(server, 'close')
}

function fail(message) {
  console.error(message)
  process.exit(2)
}

/** Runs in this process, so that a signal ends the registry, whoever sends it. */
async function keepRegistry(port) {
  const { register } = await import('tsx/esm/api')
  register()
  const { keepRegistry: keep } = await import('../../compat/stranger/keep-registry.ts')
  await keep(port)
}

function createApp() {
  const tests = ['--project=stranger', 'apps.slow.ts', '--testNamePattern', 'on express']
  return run('node', ['node_modules/vitest/vitest.mjs', 'run', ...tests])
}

function showPackages() {
  const folders = readdirSync(join(root, 'packages')).filter(isPublished)
  const args = ['pack', '--dry-run', '--json', ...folders.map((name) => `./packages/${name}`)]
  const printed = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 24 })
  const rows = JSON.parse(printed).map(({ name, version, files, size, unpackedSize }) => ({
    package: name,
    version,
    files: files.length,
    'packed kB': inKilobytes(size),
    'unpacked kB': inKilobytes(unpackedSize),
  }))
  console.table(rows)
}

function isPublished(name) {
  const path = join(root, 'packages', name, 'package.json')
  return existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).private !== true
}

function inKilobytes(bytes) {
  return Math.round(bytes / 1_000)
}
