import type { DatabaseKind, PackageManager } from './choices.ts'
import { developmentSecret } from './development-secret.ts'
import { hasLine, hasValue, setLine, withLines } from './env-lines.ts'
import { readManifest, versionsIn, type Manifest } from './manifest.ts'
import { withOwnVersions } from './own-versions.ts'
import { packageName } from './package-name.ts'
import { runCommand } from './package-manager.ts'

/** Where the PostgreSQL of the template's compose file is. */
const composeDatabase = 'postgres://feed:feed@localhost:5432/feed'

export interface AdaptOptions {
  name: string
  database: DatabaseKind
  /** The one that the README names. */
  packageManager: PackageManager
  /** The .env that is there already: what it sets stays. */
  env: string | undefined
  /** The .gitignore that is there already: its lines stay. */
  ignored?: string | undefined
}

/** Makes the app's files of the template's: sets name, versions, secret and database; no code changes. */
export function adaptTemplate(
  template: Map<string, string>,
  { name, database, packageManager, env, ignored }: AdaptOptions,
): Map<string, string> {
  const text = (path: string) => template.get(path) ?? ''
  const manifest = readManifest(text('package.json'), 'package.json')
  const templateName = String(manifest['name'])
  const readme = text('README.md').replace(`# ${templateName}`, () => `# ${name}`)
  return new Map([
    ...template,
    ['package.json', `${JSON.stringify(adaptManifest(manifest, name), null, 2)}\n`],
    ['README.md', adaptReadme(readme, packageManager)],
    ['.env', adaptEnv(env, text('.env.example'), database)],
    ['.gitignore', adaptIgnored(ignored, text('.gitignore'))],
  ])
}

function adaptEnv(env: string | undefined, example: string, database: DatabaseKind): string {
  const secret = 'FEED_SIGNING_SECRET'
  const text = env ?? example
  const isSet = env !== undefined && hasValue(env, secret)
  const withSecret = isSet ? text : setLine(text, secret, developmentSecret())
  if (database === 'embedded' || hasLine(withSecret, 'DATABASE_URL')) return withSecret
  return setLine(withSecret, 'DATABASE_URL', composeDatabase)
}

function adaptIgnored(ignored = '', template: string): string {
  const present = ignored.split('\n')
  const lacking = template.split('\n').filter((line) => line !== '' && !present.includes(line))
  return withLines(ignored, lacking)
}

/** Says every command as one says it to the package manager, with the comments behind in line. */
function adaptReadme(readme: string, packageManager: PackageManager): string {
  if (packageManager === 'npm') return readme
  return readme
    .replaceAll(
      /\bnpm (?:run )?(dev|replay|test|start)\b( *)/g,
      (found, script: string, gap: string) => {
        const command = runCommand(packageManager, script)
        return gap.length > 1 ? command.padEnd(found.length) : command + gap
      },
    )
    .replaceAll('npm install', `${packageManager} install`)
}

function adaptManifest(manifest: Manifest, name: string): Manifest {
  return {
    ...manifest,
    name: packageName(name),
    dependencies: withOwnVersions(versionsIn(manifest, 'dependencies')),
    devDependencies: withOwnVersions(versionsIn(manifest, 'devDependencies')),
  }
}
