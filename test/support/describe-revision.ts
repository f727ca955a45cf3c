import { spawnSync } from 'node:child_process'
import { repository } from './built-program.ts'

/** The commit of this clone, and whether files differ from it. */
export function describeRevision(): string {
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: repository, encoding: 'utf8' }).stdout.trim()
  const revision = git('rev-parse', '--short', 'HEAD')
  if (revision === '') return 'not from a clone'
  return git('status', '--porcelain') === '' ? revision : `${revision} with changes`
}
