import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { planIgnored } from './plan-addition.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ignored-test-'))
})
afterEach(() => rmSync(root, { recursive: true }))

interface Given {
  isRepository?: boolean
  above?: string
  own?: string
}

/** The planned .gitignore of an app, inside a repository or outside. */
function plan({ isRepository = true, above = '', own }: Given) {
  const app = join(root, 'apps/shop')
  mkdirSync(app, { recursive: true })
  if (isRepository) execFileSync('git', ['init', '--quiet'], { cwd: root })
  writeFileSync(join(root, '.gitignore'), above)
  if (own !== undefined) writeFileSync(join(app, '.gitignore'), own)
  return planIgnored(app)?.text
}

it.each<[string, Given, string | undefined]>([
  ['nothing is ignored', {}, '.env\n.feed-receiver/\n'],
  ['there is no repository', { isRepository: false }, '.env\n.feed-receiver/\n'],
  ['something else is ignored', { own: 'dist' }, 'dist\n.env\n.feed-receiver/\n'],
  ['the repository ignores both', { above: '.env\n.feed-receiver\n' }, undefined],
  ['the repository ignores one', { above: '.env*\n' }, '.feed-receiver/\n'],
  ['the app ignores both', { own: '/.env\n.feed-receiver/\n' }, undefined],
  [
    'both are, without a repository',
    { isRepository: false, own: '.env\n/.feed-receiver' },
    undefined,
  ],
  [
    'the app excludes one again',
    { above: '.env\n.feed-receiver\n', own: '!.env\n' },
    '!.env\n.env\n',
  ],
])('plans the missing lines of .gitignore if %s', (_, given, expected) => {
  expect(plan(given)).toBe(expected)
})
