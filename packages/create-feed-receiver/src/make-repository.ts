import { spawnSync } from 'node:child_process'
import type { Context } from './context.ts'

/** Makes a git repository of a folder, unless it is in one already. An app is well without. */
export function makeRepository(folder: string, { complain }: Pick<Context, 'complain'>): void {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder }).status === 0
  if (git('rev-parse', '--is-inside-work-tree')) return
  if (!git('init', '--quiet')) complain('git init failed, so there is no repository.')
}
