import type { DatabaseKind } from './choices.ts'
import { developmentSecret } from './development-secret.ts'
import { setLine } from './env-lines.ts'
import { readManifest, versionsIn, type Manifest } from './manifest.ts'
import { withOwnVersions } from './own-versions.ts'
import { packageName } from './package-name.ts'

/** Where the PostgreSQL of the template's compose file is. */
const composeDatabase = 'postgres://feed:feed@localhost:5432/feed'

/** Makes the app's files of the template's: sets name, versions, secret and database; no code changes. */
export function adaptTemplate(
  template: Map<string, string>,
  { name, database }: { name: string; database: DatabaseKind },
): Map<string, string> {
  const text = (path: string) => template.get(path) ?? ''
  const manifest = readManifest(text('package.json'), 'package.json')
  const templateName = String(manifest['name'])
  const env = setLine(text('.env.example'), 'FEED_SIGNING_SECRET', developmentSecret())
  return new Map([
    ...template,
    ['package.json', `${JSON.stringify(adaptManifest(manifest, name), null, 2)}\n`],
    ['README.md', text('README.md').replace(`# ${templateName}`, `# ${name}`)],
    ['.env', database === 'postgres' ? setLine(env, 'DATABASE_URL', composeDatabase) : env],
  ])
}

function adaptManifest(manifest: Manifest, name: string): Manifest {
  return {
    ...manifest,
    name: packageName(name),
    dependencies: withOwnVersions(versionsIn(manifest, 'dependencies')),
    devDependencies: withOwnVersions(versionsIn(manifest, 'devDependencies')),
  }
}
