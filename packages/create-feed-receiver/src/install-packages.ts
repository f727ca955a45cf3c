import { spawn } from 'node:child_process'
import { relative, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { existsSync } from 'node:fs'
import { type PackageManager, type Context, packageManagers } from './context.ts'
import { problem } from './errors.ts'

/**
 * Installs the packages of an app that is whole already.
 *
 * @throws CreateError `not_installed` or `interrupted`, which say what is there and what is not.
 */
export async function installPackages(
  folder: string,
  packageManager: PackageManager,
  { cwd, env, signal, print }: Context,
): Promise<void> {
  const startedAt = performance.now()
  const left = `All files are in ${relative(cwd, folder) || '.'}; run "${packageManager} install" there.`
  // Signals wait for a turn of the loop; one may have come while files were written.
  await nextTurn()
  if (signal.aborted) throw problem('interrupted', 'installing', { left })
  print(`Installing its packages with ${packageManager} …`)
  const ended = await run(packageManager, { folder, env, signal })
  if (signal.aborted) throw problem('interrupted', 'installing', { left })
  if (ended === 0) return print(`Installed in ${secondsSince(startedAt)}.`)
  const why = ended === 'missing' ? 'was not found' : 'failed'
  throw problem('not_installed', 'packages', { packageManager, why, left })
}

/** Ends once the package manager has ended, so that nothing is at work any more. */
function run(
  packageManager: PackageManager,
  { folder, env, signal }: { folder: string } & Pick<Context, 'env' | 'signal'>,
): Promise<number | 'missing'> {
  const quiet = packageManager === 'npm' ? ['--no-audit', '--no-fund', '--loglevel=error'] : []
  const child = spawn(packageManager, ['install', ...quiet], {
    cwd: folder,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
  const stop = () => child.kill('SIGINT')
  signal.addEventListener('abort', stop)
  return new Promise<number | 'missing'>((resolve) => {
    child.once('error', () => resolve('missing'))
    child.once('close', (code) => resolve(code ?? 1))
  }).finally(() => signal.removeEventListener('abort', stop))
}

/** The time since a reading of `performance.now()`, to be shown. */
export function secondsSince(startedAt: number): string {
  const seconds = (performance.now() - startedAt) / 1000
  return `${seconds.toFixed(seconds < 10 ? 2 : 0)} s`
}

const lockfiles = {
  'package-lock.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
} as const

/** The package manager that runs this command, as it says itself; npm where none does. */
export function callingPackageManager(
  env: Readonly<Record<string, string | undefined>>,
): PackageManager {
  const [name] = (env['npm_config_user_agent'] ?? '').split('/')
  return packageManagers.find((known) => known === name) ?? 'npm'
}

/** The package manager whose lockfile is in a folder. */
export function lockedPackageManager(folder: string): PackageManager | undefined {
  return Object.entries(lockfiles).find(([file]) => existsSync(join(folder, file)))?.[1]
}

/** How one says `npm run <script>` to it; without `run`, Bun would run tests of its own kind. */
export function runCommand(packageManager: PackageManager, script: string): string {
  const hasRun = packageManager === 'npm' || packageManager === 'bun'
  return hasRun ? `${packageManager} run ${script}` : `${packageManager} ${script}`
}
