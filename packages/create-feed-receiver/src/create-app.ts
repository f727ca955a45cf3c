import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { adaptTemplate, readTemplate } from './adapt-template.ts'
import type { Choices, Flags, Context } from './context.ts'
import { adviseOnSecret } from './env-file.ts'
import { CreateError } from './errors.ts'
import { commandsInto } from './folders.ts'
import { installPackages, secondsSince } from './install-packages.ts'
import { callingPackageManager, commands } from './package-manager.ts'
import { addRecipes, adviseOnRecipes, dependenciesOf, readRecipes } from './recipes.ts'
import { writeFiles } from './write-files.ts'

/** Creates an app in its own folder, step by step. */
export async function createApp(flags: Flags, context: Context): Promise<void> {
  const { cwd, print } = context
  const recipes = readRecipes(flags.recipe)
  const choices = await step1Choose(flags, context)
  const startedAt = performance.now()
  const folder = step2FindFolder(choices, flags, context)
  const template = readTemplate(choices.template)
  const adapted = adaptTemplate(template, folder, choices, dependenciesOf(recipes))
  const files = addRecipes(adapted, recipes) // step 3
  if (flags.dryRun) {
    print(`Would write to ${relative(cwd, folder) || '.'}:`)
    for (const path of [...files.keys()].toSorted()) print(`  ${path}`)
    return
  }
  // .env and .gitignore are only extended.
  const replaced = [...files.keys()].filter(
    (path) => !/^\.(?:env|gitignore)$/.test(path) && existsSync(join(folder, path)),
  )
  writeFiles(folder, files) // step 4
  if (flags.git) step5MakeRepository(folder, context)
  print(`Created ${choices.folder} in ${secondsSince(startedAt)}.`)
  if (replaced.length > 0) print(`Overwrote ${replaced.join(', ')}.`)
  for (const advice of adviseOnRecipes(files)) print(advice)
  if (flags.install) await installPackages(folder, choices.pm, context) // step 6
  step7PrintNextSteps(choices, files.get('.env') ?? '', flags, context)
}

async function step1Choose(flags: Flags, context: Context): Promise<Choices> {
  const defaults: Choices = {
    folder: 'feed-app',
    template: 'express',
    database: 'embedded',
    pm: callingPackageManager(context.env),
  }
  if (flags.yes || !context.canAsk) return { ...defaults, ...flags }
  const { askChoices } = await import('./ask-choices.ts')
  return await askChoices(flags, defaults, context)
}

/** Errors: `not_empty` if the folder contains anything but a repository's own files. */
function step2FindFolder(choices: Choices, flags: Flags, { cwd }: Context): string {
  const folder = resolve(cwd, choices.folder)
  if (!existsSync(folder)) return folder
  if (!statSync(folder).isDirectory())
    throw new CreateError(
      'not_empty',
      `${choices.folder} is a file, not a folder. Choose another folder.`,
    )
  const isFree = readdirSync(folder).every((name) => name === '.git')
  if (isFree || flags.overwrite) return folder
  throw new CreateError(
    'not_empty',
    `The folder ${choices.folder} is not empty, so no files were created. Choose another folder, overwrite files of the same names with --overwrite, or add the feed to the app in it with --into.`,
  )
}

/** Unless the folder is already in a repository. The app also works without one. */
function step5MakeRepository(folder: string, { complain }: Context): void {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder }).status === 0
  if (git('rev-parse', '--is-inside-work-tree')) return
  if (!git('init', '--quiet'))
    complain(
      'git init failed. The app works without a repository; run git init there to create one.',
    )
}

function step7PrintNextSteps(
  { folder, template, database, pm }: Choices,
  envFile: string,
  { install }: Flags,
  { print, env }: Context,
): void {
  // Next listens before it reads .env.
  const port =
    env['PORT'] || (template === 'next' ? undefined : parseEnv(envFile)['PORT']) || '3000'
  const advice = adviseOnSecret(envFile)
  if (advice !== undefined) print(`\n${advice}`)
  const isPostgres = database === 'postgres'
  const steps = [
    ...commandsInto(folder),
    ...(install ? [] : [`${pm} install`]),
    ...(isPostgres ? ['docker compose up --detach --wait database'] : []),
    `${commands[pm].run} dev`,
  ]
  const what = isPostgres ? 'PostgreSQL, the app' : 'the app'
  print(`\nStart ${what} on http://localhost:${port} and a sandbox that sends it events:`)
  print(`  ${steps.join(' && ')}`)
  print(
    'It opens a page that shows each event on its way through the app. README.md describes the rest.',
  )
}
