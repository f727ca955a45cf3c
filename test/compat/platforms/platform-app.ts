import { copyFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inject } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'
import { findRuntime } from '../../repo/run/runtimes.mjs'
import { mustRun } from '../../support/run-command.ts'
import { startCommand, type RunningProgram } from '../../support/start-program.ts'

/** The folders of test/support/tools with platforms. */
export type Install = 'platforms' | 'nuxt'

/** The Node of each install, because Nuxt does not build on Node 20. */
const nodes = { platforms: process.execPath, nuxt: findRuntime('node-24') }

/** A program of examples/platforms whose receiver each test sets. */
export interface PlatformApp {
  folder: string
  /** Runs one of its modules, or a file of its build, in this process. */
  load(file: string): Promise<unknown>
  /** Runs a script of one of its dependencies. Rejects with the output of the script. */
  run(script: string, ...args: string[]): Promise<void>
  /** Starts such a script, which runs until it is terminated. */
  start(script: string, args: string[], env?: NodeJS.ProcessEnv): RunningProgram
  /** Returns the result of `require` in the program. */
  require: NodeJS.Require
}

/** Opens the copy of a program, and replaces its feed with the receiver of the contract. */
export function openPlatformApp(
  name: string,
  from: 'contract-feed.ts' | 'relay-feed.ts' = 'contract-feed.ts',
  feed = 'feed.ts',
  install: Install = 'platforms',
): PlatformApp {
  const folder = join(inject('platforms')[install], name)
  const find = (script: string) => join(root, 'test/support/tools', install, 'node_modules', script)
  copyFileSync(join(root, 'test/compat/platforms', from), join(folder, feed))
  return {
    folder,
    load: (file) => import(pathToFileURL(join(folder, file)).href),
    async run(script, ...args) {
      const command = [find(script), ...args]
      await mustRun(nodes[install], command, { cwd: folder, timeoutMs: 120_000 })
    },
    start: (script, args, env) =>
      startCommand(nodes[install], [find(script), ...args], {
        cwd: folder,
        env: { ...process.env, ...env },
      }),
    require: createRequire(join(folder, 'package.json')),
  }
}
