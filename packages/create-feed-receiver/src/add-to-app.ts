import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { CommandLine, Context } from './context.ts'
import { findApp, type FoundApp } from './find-app.ts'
import {
  installPackages,
  callingPackageManager,
  lockedPackageManager,
  runOnceCommand,
} from './install-packages.ts'
import { planAddition, type Addition } from './plan-addition.ts'
import { readRecipes } from './recipes.ts'
import { writeFiles } from './write-files.ts'
import { readThere } from './env-file.ts'
import { readSources } from './find-entry.ts'

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
    const to = `http://localhost:${findPort(folder, app, env)}/webhooks/feed`
    const send = `${runOnceCommand(packageManager)} feed-receiver send outage_started --to ${to}`
    step6PrintNextSteps(addition, send, context) // also if installing fails
  }
}

function step6PrintNextSteps(
  { mounting, warnings }: Addition,
  send: string,
  { print }: Context,
): void {
  if (mounting === undefined)
    print('\nThe route is a file, so you do not need to change any code.\n')
  else {
    const { place, line, startLine, importLine } = mounting
    print(`\n${place}, add this line:\n\n  ${line}\n`)
    if (startLine !== undefined)
      print(
        `Where the app listens, start the feed; a test that imports the app opens nothing:\n\n  ${startLine}\n`,
      )
    if (importLine !== undefined) print(`And at the top of that file:\n\n  ${importLine}\n`)
  }
  for (const warning of warnings) print(`${warning}\n`)
  print('Then start the app and send it a test event:\n')
  print(`  ${send}`)
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
  const listens = /(?:\.listen|\bserve)\(/
  const listening = readSources(folder).find(({ text }) => listens.test(text))?.text ?? ''
  const written =
    /(?:\.listen|\bserve)\(\s*(?:\{[^}]*?\bport:\s*)?(\d{2,5})\b|\bport\s*=\s*(\d{2,5})\b/i.exec(
      listening,
    )
  if (written && !/\bPORT\b/.test(listening)) return written[1] ?? written[2] ?? usual
  const otherwise = /\bPORT\b[^\n]{0,8}?(?:\?\?|\|\|)\s*['"]?(\d{2,5})/.exec(listening)?.[1]
  return env['PORT'] || parseEnv(readThere(folder, '.env') ?? '')['PORT'] || otherwise || usual
}
