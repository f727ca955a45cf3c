import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findChromium } from '../chromium.ts'
import { root } from '../../repo/check/workspaces.ts'

const program = join(root, 'test/support/tools/lighthouse/node_modules/lighthouse/cli/index.js')
const categories = ['accessibility', 'best-practices'] as const

export type Scores = Record<(typeof categories)[number], number>

/** What Lighthouse gives a page on a phone, from 0 to 100. */
export async function runLighthouse(url: string): Promise<Scores> {
  const { stdout } = await promisify(execFile)(
    'node',
    [
      program,
      url,
      '--quiet',
      '--output=json',
      `--only-categories=${categories.join()}`,
      '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
      '--no-enable-error-reporting',
    ],
    { env: { ...process.env, CHROME_PATH: findChromium() }, maxBuffer: 64 * 2 ** 20 },
  )
  const report: { categories: Record<string, { score: number | null }> } = JSON.parse(stdout)
  const scoreOf = (name: string) => Math.round((report.categories[name]?.score ?? 0) * 100)
  return {
    accessibility: scoreOf('accessibility'),
    'best-practices': scoreOf('best-practices'),
  }
}
