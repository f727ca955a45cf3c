import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { changeManifest } from './change-manifest.ts'
import { badSecretAdvice, developmentSecret, isSigningSecret } from './development-secret.ts'
import { hasLine, hasValue, setLine } from './env-lines.ts'
import { CreateError } from './errors.ts'
import type { FoundApp } from './find-app.ts'
import { planFiles } from './plan-files.ts'
import { isTracked, planIgnored } from './plan-ignored.ts'

/** What is to be written into an app that is there, and what its owner has to add. */
export interface Addition {
  /** New files and changed ones, by path, with what will be in them. */
  files: Map<string, string>
  /** The same in words, one for each change. */
  changes: string[]
  /** The one line that is for the owner, and where it belongs. */
  line: string
  place: string
  /** An import that the line needs at the top of that file. */
  importLine?: string
  /** What else its owner has to see to. */
  warnings: string[]
}

/** Errors: `already_there` where a file that is to be added exists, and those of `planFiles`. */
export function planAddition(folder: string, app: FoundApp): Addition {
  const { files: added, ...left } = planFiles(folder, app)
  const taken = [...added.keys()].find((path) => existsSync(join(folder, path)))
  if (taken !== undefined) {
    throw new CreateError(
      'already_there',
      `${taken} is there already. Was the feed added before? Move it away to add it again. ` +
        'Nothing was changed.',
    )
  }

  const manifest = changeManifest(app)
  const env = planEnv(folder)
  const ignored = planIgnored(folder)
  return {
    ...left,
    files: new Map([
      ...added,
      ['package.json', manifest.text],
      ...env,
      ...(ignored ? [['.gitignore', ignored.text] as const] : []),
    ]),
    changes: [
      ...added.keys(),
      ...Object.entries(manifest.dependencies).map(
        ([name, range]) => `package.json: ${name} ${range} in its dependencies`,
      ),
      ...[...env.keys()].map((path) => `${path}: FEED_SIGNING_SECRET`),
      ...(ignored ? [`.gitignore: ${ignored.lacking.join(' and ')}`] : []),
    ],
    warnings: [...adviseOnSecret(folder), ...adviseOnTracked(folder)],
  }
}

/** The .env files that lack the secret, with it: one for development, and a place for it in the example. */
function planEnv(folder: string): Map<string, string> {
  const name = 'FEED_SIGNING_SECRET'
  const env = read(folder, '.env')
  const example = read(folder, '.env.example')
  const planned = new Map<string, string>()
  if (!hasValue(env, name)) planned.set('.env', setLine(env, name, developmentSecret()))
  // Empty: a copy of it must not have a secret that anybody can read.
  if (existsSync(join(folder, '.env.example')) && !hasLine(example, name)) {
    planned.set('.env.example', setLine(example, name, ''))
  }
  return planned
}

/** A secret that is there already stays, whatever it is. */
function adviseOnSecret(folder: string): string[] {
  const { FEED_SIGNING_SECRET = '' } = parseEnv(read(folder, '.env'))
  if (FEED_SIGNING_SECRET === '' || isSigningSecret(FEED_SIGNING_SECRET)) return []
  return [badSecretAdvice]
}

function adviseOnTracked(folder: string): string[] {
  if (!isTracked(folder, '.env')) return []
  return ['.env is in git already, secret and all. Take it out: git rm --cached .env']
}

function read(folder: string, path: string): string {
  const file = join(folder, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
