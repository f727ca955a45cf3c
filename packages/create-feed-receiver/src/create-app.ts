import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { adaptTemplate } from './adapt-template.ts'
import { askChoices } from './ask-choices.ts'
import type { Choices } from './choices.ts'
import type { Context } from './context.ts'
import { badSecretAdvice, isSigningSecret } from './development-secret.ts'
import { CreateError } from './errors.ts'
import type { Flags } from './flags.ts'
import { makeRepository } from './make-repository.ts'
import { installPackages } from './install-packages.ts'
import { callingPackageManager, runCommand } from './package-manager.ts'
import { readTemplate } from './read-template.ts'
import { secondsSince } from './seconds-since.ts'
import { writeFiles } from './write-files.ts'

/** Makes an app in a folder of its own, step by step. */
export async function createApp(flags: Flags, context: Context): Promise<void> {
  const choices = await step1Choose(flags, context)
  const startedAt = performance.now()
  const folder = step2FindFolder(choices, flags, context)
  const files = step3AdaptTemplate(choices, folder)
  if (flags.dryRun) return listFiles(files, folder, context)
  const replaced = [...files.keys()].filter((path) => existsSync(join(folder, path)))
  writeFiles(folder, files) // step 4
  if (flags.git) makeRepository(folder, context) // step 5
  context.print(`Made ${choices.folder} in ${secondsSince(startedAt)}.`)
  if (replaced.length > 0) context.print(`Wrote over ${replaced.join(', ')}.`)
  if (flags.install) await installPackages(folder, choices.packageManager, context) // step 6
  step7SayWhatIsNext(choices, parseEnv(files.get('.env') ?? ''), flags, context)
}

async function step1Choose(flags: Flags, context: Context): Promise<Choices> {
  const defaults: Choices = {
    folder: 'feed-app',
    framework: 'express',
    database: 'embedded',
    packageManager: callingPackageManager(context.env),
  }
  if (flags.yes || !context.canAsk) return { ...defaults, ...given(flags) }
  return await askChoices(given(flags), defaults, context)
}

function given({ folder, framework, database, packageManager }: Flags): Partial<Choices> {
  return {
    ...(folder !== undefined && { folder }),
    ...(framework && { framework }),
    ...(database && { database }),
    ...(packageManager && { packageManager }),
  }
}

/** Errors: `not_empty` where something is in the folder, but for a repository's own files. */
function step2FindFolder(choices: Choices, flags: Flags, { cwd }: Context): string {
  const folder = resolve(cwd, choices.folder)
  if (!existsSync(folder)) return folder
  if (!statSync(folder).isDirectory()) {
    throw new CreateError('not_empty', `${choices.folder} is a file. Choose another folder.`)
  }
  const isFree = readdirSync(folder).every((name) => name === '.git')
  if (isFree || flags.overwrite) return folder
  throw new CreateError(
    'not_empty',
    `The folder ${choices.folder} is not empty. Choose another one, add --overwrite to write over ` +
      'files of the same names, or --into to add the feed to the app in it. Nothing was made.',
  )
}

function step3AdaptTemplate(choices: Choices, folder: string): Map<string, string> {
  const { framework, ...rest } = choices
  return adaptTemplate(readTemplate(framework), {
    ...rest,
    name: basename(folder),
    env: readThere(folder, '.env'),
    ignored: readThere(folder, '.gitignore'),
  })
}

function readThere(folder: string, path: string): string | undefined {
  const file = join(folder, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function listFiles(files: Map<string, string>, folder: string, { cwd, print }: Context): void {
  print(`Would write into ${relative(cwd, folder) || '.'}:`)
  for (const path of [...files.keys()].toSorted()) print(`  ${path}`)
}

function step7SayWhatIsNext(
  { folder, framework, database, packageManager }: Choices,
  { FEED_SIGNING_SECRET = '', PORT }: Record<string, string | undefined>,
  { install }: Flags,
  { print, env }: Context,
): void {
  const say = (script: string) => runCommand(packageManager, script)
  // Next listens before it reads .env.
  const port = env['PORT'] || (framework === 'next' ? undefined : PORT) || '3000'
  if (!isSigningSecret(FEED_SIGNING_SECRET)) print(`\n${badSecretAdvice}`)
  print('\nNext:')
  if (folder !== '.') print(`  cd ${folder}`)
  if (!install) print(`  ${packageManager} install`)
  if (database === 'postgres') {
    print('  docker compose up --detach database   # or your own, as DATABASE_URL in .env')
  }
  print(`  ${say('dev')}`.padEnd(40) + `# the app, on http://localhost:${port}`)
  print(`  ${say('replay')}`.padEnd(40) + '# in another terminal: sample events')
  print('\nREADME.md has the rest, on one page.')
}
