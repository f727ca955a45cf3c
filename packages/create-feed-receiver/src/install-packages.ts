import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { relative, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { existsSync } from 'node:fs'
import { type PackageManager, type Context, packageManagers } from './context.ts'
import { CreateError } from './errors.ts'

/**
 * Installs the packages of an app whose files are complete.
 *
 * @throws CreateError `not_installed` or `interrupted`, which say what exists and what is missing.
 */
export async function installPackages(
  folder: string,
  packageManager: PackageManager,
  context: Context,
): Promise<void> {
  const { cwd, env, signal, print } = context
  const startedAt = performance.now()
  const left = `All files are in ${relative(cwd, folder) || '.'}; run "${packageManager} install" there.`
  // Node handles signals between turns of the event loop. One may have arrived while files were
  // written.
  await nextTurn()
  if (signal.aborted)
    throw new CreateError('interrupted', `Interrupted before all packages were installed. ${left}`)
  const title = `Installing packages with ${packageManager}`
  const log = await openLog(title, context)
  if (!log) print(`${title} …`)
  const ended = await run(packageManager, { folder, env, signal, onLine: log?.message })
  // Ctrl-C reaches the package manager too, and Node may report its end before the signal.
  if (ended === 'interrupted' || signal.aborted) {
    log?.error('Interrupted.')
    throw new CreateError('interrupted', `Interrupted before all packages were installed. ${left}`)
  }
  if (ended === 0) {
    const done = `Installed in ${secondsSince(startedAt)}.`
    return log ? log.success(done) : print(done)
  }
  const why = ended === 'missing' ? 'was not found' : 'failed'
  log?.error(`${packageManager} ${why}.`)
  throw new CreateError(
    'not_installed',
    `${packageManager} ${why}, so the packages are not installed. ${left}`,
  )
}

/**
 * Shows the last lines of the package manager on a terminal, and clears them once it is done. The
 * spinner of clack would end this process on Ctrl-C with 0, and leave the package manager running.
 */
async function openLog(title: string, { hasTerminal, output }: Context) {
  if (!hasTerminal) return undefined
  const { taskLog } = await import('@clack/prompts')
  return taskLog({ title, limit: 8, spacing: 0, output })
}

interface Running extends Pick<Context, 'env' | 'signal'> {
  folder: string
  /** Called with each line that it prints. Without it, the lines go to our own output. */
  onLine: ((line: string) => void) | undefined
}

/** Resolves once the package manager has exited, so that no process is left. */
function run(
  packageManager: PackageManager,
  { folder, env, signal, onLine }: Running,
): Promise<number | 'missing' | 'interrupted'> {
  // With `http`, npm says which package it fetches. Without a terminal, that would be noise.
  const npmOptions = ['--no-audit', '--no-fund', `--loglevel=${onLine ? 'http' : 'error'}`]
  const options = packageManager === 'npm' ? npmOptions : []
  const printed = onLine ? 'pipe' : 'inherit'
  const child = spawn(packageManager, ['install', ...options], {
    cwd: folder,
    env,
    stdio: ['ignore', printed, printed],
    shell: process.platform === 'win32',
  })
  for (const input of [child.stdout, child.stderr]) {
    if (input && onLine) {
      createInterface({ input }).on('line', (line) => {
        const shown = readable(line)
        if (shown !== undefined) onLine(shown)
      })
    }
  }
  const stop = () => child.kill('SIGINT')
  signal.addEventListener('abort', stop)
  return new Promise<number | 'missing' | 'interrupted'>((resolve) => {
    child.once('error', () => resolve('missing'))
    child.once('close', (code, by) => resolve(by === 'SIGINT' ? 'interrupted' : (code ?? 1)))
  }).finally(() => signal.removeEventListener('abort', stop))
}

/** A line of a package manager for a person; undefined for one that says nothing to them. */
export function readable(line: string): string | undefined {
  // The packages support more versions of Node than some of their dependencies ask for.
  if (/^npm warn EBADENGINE/i.test(line)) return undefined
  if (!line.startsWith('npm http ')) return line
  const [, cached, fetched = ''] =
    /^npm http (?:cache (\S+?)@http|fetch GET 200 https?:\/\/[^/\s]+\/(\S+))/.exec(line) ?? []
  const name = cached ?? fetched.replace(/\/-\/.*/, '').replace(/%2f/i, '/')
  return name === '' ? undefined : `fetched ${name}`
}

/** The time since a reading of `performance.now()`, for display. */
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

/** The package manager that runs this command, by its own statement; npm by default. */
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

/** Its form of `npm run <script>`. Without `run`, Bun would run its own test runner. */
export function runCommand(packageManager: PackageManager, script: string): string {
  const hasRun = packageManager === 'npm' || packageManager === 'bun'
  return hasRun ? `${packageManager} run ${script}` : `${packageManager} ${script}`
}

/** Its form of `npx`. Yarn 1 has none of its own. */
export function runOnceCommand(packageManager: PackageManager): string {
  const forms: Partial<Record<PackageManager, string>> = { pnpm: 'pnpm dlx', bun: 'bunx' }
  return forms[packageManager] ?? 'npx'
}
