import { resolve } from 'node:path'
import type { Flags } from './choices.ts'
import type { Context } from './context.ts'
import { findApp } from './find-app.ts'
import { findPort } from './find-port.ts'
import { installPackages } from './install-packages.ts'
import { callingPackageManager, lockedPackageManager } from './package-manager.ts'
import { planAddition, type Addition } from './plan-addition.ts'
import { writeFiles } from './write-files.ts'

/** Adds the feed to an existing app, step by step. */
export async function addToApp(into: string, flags: Flags, context: Context): Promise<void> {
  const { cwd, env, print } = context
  const folder = resolve(cwd, into)
  const app = findApp(folder, flags.template) // step 1
  const addition = planAddition(folder, app) // step 2
  print(flags.dryRun ? 'Would add:' : 'Adds:') // step 3
  for (const change of addition.changes) print(`  ${change}`)
  if (flags.dryRun) {
    if (flags.install) print('  the packages, installed')
    return
  }
  writeFiles(folder, addition.files) // step 4
  const packageManager = flags.pm ?? lockedPackageManager(folder) ?? callingPackageManager(env)
  try {
    if (flags.install) await installPackages(folder, packageManager, context) // step 5
  } finally {
    step6SayWhatIsLeft(addition, findPort(folder, app, env), context) // also where packages lack
  }
}

function step6SayWhatIsLeft(
  { place, line, importLine, warnings }: Addition,
  port: string,
  { print }: Context,
): void {
  print(`\n${place}, add this line:\n\n  ${line}\n`)
  if (importLine !== undefined) print(`And at the top of that file:\n\n  ${importLine}\n`)
  for (const warning of warnings) print(`${warning}\n`)
  print('Then, while the app runs:\n')
  print(`  npx feed-receiver send outage_started --to http://localhost:${port}/webhooks/feed`)
}
