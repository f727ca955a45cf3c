import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'
import { findRuntime } from '../../repo/run/runtimes.mjs'

/** The folders of test/support/tools with platforms. */
export type Install = 'platforms' | 'nuxt'

/** The Node of each install, because Nuxt does not build on Node 20. */
const nodes = { platforms: process.execPath, nuxt: findRuntime('node-24') }

/** A program of examples/platforms whose receiver each test sets. */
export interface Program {
  folder: string
  /** Runs one of its modules, or a file of its build, in this process. */
  load(file: string): Promise<unknown>
  /** Runs a script of one of its dependencies. Rejects with the output of the script. */
  run(script: string, ...args: string[]): Promise<void>
  /** Starts such a script, which runs until it is terminated. */
  start(
    script: string,
    args: string[],
    env?: NodeJS.ProcessEnv,
  ): ChildProcessByStdio<null, Readable, null>
  /** Returns the result of `require` in the program. */
  require: NodeJS.Require
}

/** Opens the copy of a program, and replaces its feed with the receiver of the contract. */
export function openProgram(
  name: string,
  from: 'contract-feed.ts' | 'relay-feed.ts' = 'contract-feed.ts',
  feed = 'feed.ts',
  install: Install = 'platforms',
): Program {
  const folder = join(inject('platforms')[install], name)
  const find = (script: string) => join(root, 'test/support/tools', install, 'node_modules', script)
  copyFileSync(join(root, 'test/compat/platforms', from), join(folder, feed))
  return {
    folder,
    load: (file) => import(pathToFileURL(join(folder, file)).href),
    async run(script, ...args) {
      try {
        await promisify(execFile)(nodes[install], [find(script), ...args], { cwd: folder })
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string }
        throw new Error(`${script} failed:\n${stdout}${stderr}`, { cause: error })
      }
    },
    start: (script, args, env) =>
      spawn(nodes[install], [find(script), ...args], {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    require: createRequire(join(folder, 'package.json')),
  }
}
