import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { relative } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context, PackageManager } from './context.ts'
import { CreateError } from './errors.ts'
import { satisfiesPgBoss } from './package-manager.ts'

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
  const { cwd, signal, print } = context
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
  const ended = await run(packageManager, folder, context, log?.message)
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

/**
 * Resolves once the package manager has exited, so that no process is left. `onLine` is called with
 * each line that it prints. Without it, the lines go to our own output.
 */
function run(
  packageManager: PackageManager,
  folder: string,
  { env, signal }: Context,
  onLine: ((line: string) => void) | undefined,
): Promise<number | 'missing' | 'interrupted'> {
  const options = installOptions(packageManager, onLine !== undefined)
  const printed = onLine ? 'pipe' : 'inherit'
  const child = spawn(packageManager, ['install', ...options], {
    cwd: folder,
    env: { ...env, ...installVariables(process.versions.node) },
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

function installVariables(node: string) {
  return {
    // In CI, Yarn would reject a package.json that changed.
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    // pg-boss asks for Node 22.12, but also runs on Node 20.19.
    ...(!satisfiesPgBoss(node) && {
      npm_config_engine_strict: 'false',
      YARN_IGNORE_ENGINES: 'true',
    }),
  }
}

function installOptions(packageManager: PackageManager, isShown: boolean): string[] {
  // In CI, pnpm would reject a package.json that changed.
  if (packageManager === 'pnpm') return ['--no-frozen-lockfile']
  if (packageManager !== 'npm') return []
  // With `http`, npm says which package it fetches. Without a terminal, that would be noise.
  return ['--no-audit', '--no-fund', `--loglevel=${isShown ? 'http' : 'error'}`]
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
