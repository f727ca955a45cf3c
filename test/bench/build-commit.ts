import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repository } from '../support/built-program.ts'

/**
 * Installs and builds another commit in a folder of its own, as the other side of a benchmark. Takes
 * about a minute. Remove the folder afterwards. Throws with the output of the step that failed.
 */
export async function buildCommit(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-commit-'))
  const run = (command: string, args: string[], cwd: string) =>
    void execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe' })
  try {
    const archive = join(folder, 'commit.tar')
    run('git', ['archive', '--output', archive, commit], repository)
    run('tar', ['-xf', archive], folder)
    // Also with NODE_ENV=production, as the benchmarks have it.
    run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], folder)
    run('npm', ['run', 'build'], folder)
    return folder
  } catch (error) {
    await rm(folder, { recursive: true })
    throw error
  }
}
