/** Compares docs/requirements.md with the numbers in the titles of tests. --write updates it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { requirements } from '../requirements.ts'
import { findProofs, tableOf } from './requirement-table.ts'
import { listFiles, root } from './workspaces.ts'

const page = 'docs/requirements.md'
const path = join(root, page)
const found = findProofs(readTests(), requirements)
const text = `---
description: 'Each requirement of the service and the kit, and the tests that prove it.'
---

# Requirements

Each row is one requirement of the service or of the kit. The tests in its last column prove it, and fail if it no longer holds. Many of them run with a table of cases, which the file lists.

${tableOf(requirements, found)}
`

if (process.argv.includes('--write')) writeFileSync(path, text)
const isCurrent = existsSync(path) && readFileSync(path, 'utf8') === text
const problems = [...found.problems, ...(isCurrent ? [] : [`${page} is out of date.`])]

for (const problem of problems) console.error(problem)
if (problems.length > 0) {
  console.error(
    'To update the table, run: node --import tsx test/repo/check/requirements.ts --write',
  )
  process.exitCode = 1
} else {
  console.log(`Tests prove all ${Object.keys(requirements).length} requirements.`)
}

function readTests(): [string, string][] {
  const folders = ['examples', 'packages', 'templates', 'test'].map((name) => join(root, name))
  return folders
    .flatMap((folder) => listFiles(folder, isTest))
    .toSorted()
    .map((file) => [relative(root, file), readFileSync(file, 'utf8')])
}

function isTest(file: string): boolean {
  return file.endsWith('.ts') && !/\/(?:dist|\.built|repo\/check)\//.test(file)
}
