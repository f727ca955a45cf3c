import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Choices, Framework, PackageManager } from './context.ts'
import { hasValue, readThere, setLine, withLines, withSecret } from './env-file.ts'
import { readManifest, versionsIn, withOwnVersions } from './manifest.ts'
import { commands } from './package-manager.ts'

/** The PostgreSQL of the template's compose file. */
const composeDatabase = 'postgres://feed:feed@localhost:5432/feed'

/**
 * Turns the template's files into the app's: sets name, versions, secret and database, adds
 * dependencies, and changes no code. Existing settings in the folder's `.env` and `.gitignore` stay.
 */
export function adaptTemplate(
  template: Map<string, string>,
  folder: string,
  { database, pm }: Choices,
  dependencies: Record<string, string>,
): Map<string, string> {
  const text = (path: string) => template.get(path) ?? ''
  const manifest = readManifest(text('package.json'), 'package.json')
  const adapted = {
    ...manifest,
    name: packageName(basename(folder)),
    dependencies: withOwnVersions({ ...versionsIn(manifest, 'dependencies'), ...dependencies }),
    devDependencies: withOwnVersions(versionsIn(manifest, 'devDependencies')),
  }
  const readme = text('README.md').replace(/^# .*/, () => `# ${basename(folder)}`)
  const env = withSecret(readThere(folder, '.env') ?? text('.env.example'))
  const isSet = database === 'embedded' || hasValue(env, 'DATABASE_URL')
  const ignored = readThere(folder, '.gitignore') ?? ''
  const present = new Set(['', ...ignored.split('\n')])
  const lacking = text('.gitignore')
    .split('\n')
    .filter((line) => !present.has(line))
  return new Map([
    ...template,
    ['package.json', `${JSON.stringify(adapted, null, 2)}\n`],
    ['README.md', adaptReadme(readme, pm)],
    ['.env', isSet ? env : setLine(env, 'DATABASE_URL', composeDatabase)],
    ['.gitignore', withLines(ignored, lacking)],
  ])
}

/** A valid npm name, as close as possible to the name of the folder. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|-+$/g, '')
  return name.slice(0, 214) || 'feed-app'
}

/** Rewrites every command for the package manager, with comments after it aligned. */
function adaptReadme(readme: string, pm: PackageManager): string {
  if (pm === 'npm') return readme
  const production: Partial<Record<PackageManager, string>> = {
    pnpm: '--prod --no-optional',
    yarn: '--production --ignore-optional',
  }
  return readme
    .replaceAll(
      /\bnpm (?:run )?(dev:app|dev|replay|test|start)\b( *)/g,
      (found, script: string, gap: string) => {
        const command = `${commands[pm].run} ${script}`
        return gap.length > 1 ? command.padEnd(found.length) : command + gap
      },
    )
    .replaceAll('npm install', `${pm} install`)
    .replace(/--omit=dev --omit=optional/, (options) => production[pm] ?? options)
}

/** The files of a template: their contents by path. */
export function readTemplate(framework: Framework): Map<string, string> {
  const folder = fileURLToPath(new URL(`../templates/${framework}`, import.meta.url))
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  // Uses slashes everywhere. npm packs no .gitignore, so templates have it under another name.
  const nameOf = (path: string) =>
    relative(folder, path).replaceAll(sep, '/').replace(/^_git/, '.git')
  return new Map(files.map((path) => [nameOf(path), readFileSync(path, 'utf8')]))
}
