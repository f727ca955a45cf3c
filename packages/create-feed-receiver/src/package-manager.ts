import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packageManagers, type Context, type PackageManager } from './context.ts'
import { readThere } from './env-file.ts'
import { foldersToRoot } from './folders.ts'

const lockfiles: Record<PackageManager, string[]> = {
  npm: ['package-lock.json'],
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
}

/** The commands that run a script of the app, an installed program, and one that is not installed. */
export const commands: Record<PackageManager, Record<'run' | 'exec' | 'runOnce', string>> = {
  npm: { run: 'npm run', exec: 'npx', runOnce: 'npx' },
  pnpm: { run: 'pnpm', exec: 'pnpm exec', runOnce: 'pnpm dlx' },
  // Yarn 1 runs nothing that is not installed.
  yarn: { run: 'yarn', exec: 'yarn', runOnce: 'npx' },
  // Without `run`, Bun would run its own test runner.
  bun: { run: 'bun run', exec: 'bunx', runOnce: 'bunx' },
}

/** The package manager that runs this command, by its own statement; npm by default. */
export function callingPackageManager(env: Context['env']): PackageManager {
  const [name] = (env['npm_config_user_agent'] ?? '').split('/')
  return packageManagers.find((known) => known === name) ?? 'npm'
}

/** The package manager whose lockfile is in a folder, or above it in the root of a monorepo. */
export function lockedPackageManager(folder: string): PackageManager | undefined {
  for (const one of foldersToRoot(folder)) {
    const found = packageManagers.find((name) =>
      lockfiles[name].some((file) => existsSync(join(one, file))),
    )
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether a version of Node is one that pg-boss asks for. */
export function satisfiesPgBoss(node: string): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 12)
}

/**
 * Advice for later installs of an app whose package manager rejects pg-boss on this Node; undefined
 * if it does not.
 */
export function adviseOnEngines(
  folder: string,
  packageManager: PackageManager,
  node = process.versions.node,
): string | undefined {
  if (satisfiesPgBoss(node)) return undefined
  const isYarn1 =
    packageManager === 'yarn' && readAbove(folder, 'yarn.lock').includes('# yarn lockfile v1')
  const isStrict =
    /^engine-strict\s*=\s*true/m.test(readAbove(folder, '.npmrc')) ||
    /^engineStrict:\s*true/m.test(readAbove(folder, 'pnpm-workspace.yaml'))
  if (!isYarn1 && !isStrict) return undefined
  const setting = isYarn1 ? 'ignore-engines true in .yarnrc' : 'engine-strict=false in .npmrc'
  return (
    `pg-boss asks for Node 22.12, and also runs on Node ${node}. ${packageManager} rejects it there, ` +
    `so use a newer Node, or set ${setting}.`
  )
}

/** The texts of the files with this name in a folder and above it, up to the root of its repository. */
function readAbove(folder: string, name: string): string {
  return foldersToRoot(folder)
    .map((one) => readThere(one, name) ?? '')
    .join('\n')
}
