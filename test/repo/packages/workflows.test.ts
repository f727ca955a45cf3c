import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { slowSuites } from '../run/suites.mjs'
import { readPackages, root } from '../check/workspaces.ts'

const folder = join(root, '.github/workflows')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const workflows = readdirSync(folder).map((name): [string, string] => [
  name,
  readFileSync(join(folder, name), 'utf8'),
])

describe.each(workflows)('the workflow %s', (_, text) => {
  it('runs scripts that exist', () => {
    const run = [...text.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(test)\b)/g)]
    const names = run.map(([, script, test]) => script ?? test ?? '')
    expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  })

  it('pins every action to a commit, with its version in a comment', () => {
    const uses = [...text.matchAll(/\buses:(?! *\.\/) *(.+)/g)].map(([, action = '']) => action)
    const pinned = /^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
    expect(uses.filter((action) => !pinned.test(action))).toEqual([])
  })

  it('starts with minimal permissions, and has a timeout for every job', () => {
    expect(text).toMatch(/^permissions:(?: \{\}|\n {2}contents: read)$/m)
    expect(text).toMatch(/^concurrency:$/m)
    const jobs = text.match(/^ {4}runs-on:/gm) ?? []
    expect(text.match(/^ {4}timeout-minutes:/gm)).toHaveLength(jobs.length)
  })
})

it('the slow tests of every night are all suites, each once', () => {
  const [, list = ''] = /suites:\n((?: +- .+\n)+)/.exec(
    readFileSync(join(folder, 'slow.yml'), 'utf8'),
  ) ?? ['', '']
  const names = list.split('\n').flatMap((line) => line.replace(/^ +- /, '').split(' '))
  expect(names.filter((name) => name !== '').toSorted()).toEqual(Object.keys(slowSuites).toSorted())
})

it('every script in a workflow exists', () => {
  const files = Object.values(scripts).flatMap((script) => script.match(/\S+\.mjs\b/g) ?? [])
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

it('lists every package in the bug form', () => {
  const form = readFileSync(join(root, '.github/ISSUE_TEMPLATE/bug.yml'), 'utf8')
  const listed = [...form.matchAll(/^ {8}- '?((?:@feed-receiver\/)?[a-z]+(?:-[a-z]+)*)'?$/gm)]
  const names = [...readPackages().values()].map(({ manifest }) => manifest.name)
  expect(listed.map(([, name]) => name).toSorted()).toEqual(names.toSorted())
})
