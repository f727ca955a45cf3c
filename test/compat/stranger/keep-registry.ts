import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPackages } from '../../repo/check/workspaces.ts'
import { packAll } from '../packed/build-and-pack.ts'
import { publishPackages } from './publish-packages.ts'

/**
 * Publishes the built packages to a local registry on this port, or on a free one for 0, and prints
 * how to try them. Ends the process, with all that it has stored, after a signal.
 */
export async function keepRegistry(port: number): Promise<never> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-release-'))
  // Somebody's npm may still be writing to its cache there.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(0))
  }
  endWithParent()
  const tarballs = Object.values(await packAll(folder))
  const registry = await publishPackages(tarballs, folder, port)
  console.log(howToTry(registry.url, join(folder, 'npm-cache-to-try')))
  const code = await registry.ended
  console.error(`The registry ended by itself, with ${code}. Start it again.`)
  return process.exit(1)
}

/** A signal to npm ends npm and its shell, and does not reach this process. */
function endWithParent(): void {
  const parent = process.ppid
  const isOrphan = () => process.ppid !== parent
  setInterval(() => isOrphan() && process.exit(0), 500).unref()
}

function howToTry(url: string, cache: string): string {
  const version = readPackages().get('core')?.manifest.version
  return `
The packages of this clone are published as ${version} on ${url}.
Paste this into another terminal. There, npm then uses this registry, and an empty cache:

  export npm_config_registry=${url} npm_config_cache=${cache}

Then try the packages there as if they were on npm, in any folder outside this clone:

  npm create feed-receiver@latest my-app
  npm create feed-receiver@latest -- --into .
  npx feed-receiver sandbox

The lockfile of an app that you create has the address of this registry, so delete it to install
the app later. Press Ctrl+C here to end the registry and delete what it has stored.`
}
