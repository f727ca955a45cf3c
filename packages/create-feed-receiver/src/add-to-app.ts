import { resolve } from 'node:path'
import type { Context } from './context.ts'
import { findApp } from './find-app.ts'
import { findPort } from './find-port.ts'
import type { Flags } from './flags.ts'
import { installPackages } from './install-packages.ts'
import { callingPackageManager, lockedPackageManager } from './package-manager.ts'
import { planAddition, type Addition } from './plan-addition.ts'
import { writeFiles } from './write-files.ts'

/** Adds the feed to an app that is there, step by step. */
export async function addToApp(into: string, flags: Flags, context: Context): Promise<void> {
  const folder = resolve(context.cwd, into)
  const app = findApp(folder, flags.framework) // step 1
  const addition = planAddition(folder, app) // step 2
  step3ListChanges(addition, flags, context)
  if (flags.dryRun) return
  writeFiles(folder, addition.files) // step 4
  try {
    if (flags.install) await step5Install(folder, flags, context)
  } finally {
    step6SayWhatIsLeft(addition, findPort(folder, app, context.env), context) // also where packages lack
  }
}

function step3ListChanges({ changes }: Addition, flags: Flags, { print }: Context): void {
  print(flags.dryRun ? 'Would add:' : 'Adds:')
  for (const change of changes) print(`  ${change}`)
  if (flags.dryRun && flags.install) print('  the packages, installed')
}

async function step5Install(folder: string, flags: Flags, context: Context): Promise<void> {
  const packageManager =
    flags.packageManager ?? lockedPackageManager(folder) ?? callingPackageManager(context.env)
  await installPackages(folder, packageManager, context)
}

function step6SayWhatIsLeft(
  { place, line, importLine, warnings }: Addition,
  port: string,
  { print }: Pick<Context, 'print'>,
): void {
  print(`\n${place}, add this line:\n\n  ${line}\n`)
  if (importLine !== undefined) print(`And at the top of that file:\n\n  ${importLine}\n`)
  for (const warning of warnings) print(`${warning}\n`)
  print('Then, while the app runs:\n')
  print(`  npx feed-receiver send outage_started --to http://localhost:${port}/webhooks/feed`)
}
