import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packageManagers, type PackageManager } from './choices.ts'

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
