import { relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { CommandLine, Context } from './context.ts'
import { findApp, type FoundApp } from './find-app.ts'
import { commandsInto } from './folders.ts'
import { installPackages } from './install-packages.ts'
import {
  adviseOnEngines,
  callingPackageManager,
  commands,
  lockedPackageManager,
} from './package-manager.ts'
import { planAddition } from './plan-addition.ts'
import { readRecipes } from './recipes.ts'
import { writeFiles } from './write-files.ts'
import { readThere } from './env-file.ts'
import { findListening, readSources } from './find-entry.ts'
import { findCorrection } from './find-tools.ts'

/** Adds the feed to an existing app, step by step. */
export async function addToApp(into: string, flags: CommandLine, context: Context): Promise<void> {
  const { cwd, env, print } = context
  const folder = resolve(cwd, into)
  const app = findApp(folder, flags.template) // step 1
  const addition = planAddition(folder, app, readRecipes(flags.recipe)) // step 2
  print(flags.dryRun ? 'Would add:' : 'Adding:') // step 3
  for (const change of addition.changes) print(`  ${change}`)
  if (flags.dryRun) {
    if (flags.install) print('  and install the packages')
    return
  }
  writeFiles(folder, addition.files) // step 4
  const packageManager = flags.pm ?? lockedPackageManager(folder) ?? callingPackageManager(env)
  try {
    if (flags.install) await installPackages(folder, packageManager, context) // step 5
  } finally {
    step6PrintNextSteps() // also if installing fails
  }

  function step6PrintNextSteps(): void {
    const { edits, warnings, code } = addition
    const engines = adviseOnEngines(folder, packageManager)
    const to = `http://localhost:${findPort(folder, app, env)}/webhooks/feed`
    print('')
    show('Enter the folder of the app', commandsInto(relative(cwd, folder))[0])
    if (!flags.install) show('Install the packages', `${packageManager} install`)
    if (edits.length === 0) print('The route is a file, so you do not need to change any code.\n')
    for (const { where, line } of edits) show(where, line)
    const correct = findCorrection(folder, app, packageManager, code)
    show('Then format and lint these files as your app does', correct)
    for (const warning of engines === undefined ? warnings : [...warnings, engines])
      print(`${warning}\n`)
    print('Then start the app and send it a test event:\n')
    print(`  ${commands[packageManager].runOnce} feed-receiver send outage_started --to ${to}`)
  }

  function show(step: string, command: string | undefined): void {
    if (command !== undefined) print(`${step}:\n\n  ${command}\n`)
  }
}

const usual = '3000'

/** The port that an app listens on, as far as its scripts, code and environment tell. */
export function findPort(folder: string, app: FoundApp, env: Context['env']): string {
  const scripts = JSON.stringify(app.manifest['scripts'] ?? {})
  const inScripts =
    /\bPORT=(\d+)|(?:next|fastify|vite|nuxt|nuxi) [^"]*?(?:-p|--port)[ =](\d+)/.exec(scripts)
  const said = inScripts?.[1] ?? inScripts?.[2]
  if (said !== undefined) return said
  // The port of Vite in development, which PORT does not change.
  if (app.framework === 'sveltekit') return '5173'
  // They listen before they read .env.
  if (app.framework === 'next' || app.framework === 'nuxt') return env['PORT'] || usual
  const sources = readSources(folder)
  const path = findListening(folder, app.entry?.path)
  const listening = sources.find((source) => source.path === path)?.text ?? ''
  const written =
    /(?:\.listen|\bserve)\(\s*(?:\{[^}]*?\bport:\s*)?(\d{2,5})\b|\bport\s*=\s*(\d{2,5})\b/i.exec(
      listening,
    )
  if (written && !/\bPORT\b/.test(listening)) return written[1] ?? written[2] ?? usual
  // Its default may be in a file with the configuration.
  const otherwise = [listening, ...sources.map(({ text }) => text)]
    .map((text) =>
      /\bPORT\b[^\n]{0,8}?(?:\?\?|\|\|)\s*['"]?(\d{2,5})|\bport:\s*(\d{2,5})\b/.exec(text),
    )
    .find((found) => found !== null)
  return (
    env['PORT'] ||
    parseEnv(readThere(folder, '.env') ?? '')['PORT'] ||
    otherwise?.[1] ||
    otherwise?.[2] ||
    usual
  )
}
