/** Compares code blocks of the documents with their examples. --write updates the blocks. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { extractRegion, fillCodeBlocks } from './code-blocks.ts'
import { listDocuments } from './documents.ts'
import { root } from './workspaces.ts'

const isWriting = process.argv.includes('--write')

for (const path of listDocuments()) {
  const before = readFileSync(path, 'utf8')
  const { text } = fillCodeBlocks(before, readExample)
  if (isWriting && text !== before) writeFileSync(path, text)
  const { problems } = fillCodeBlocks(isWriting ? text : before, readExample)
  for (const problem of problems) console.error(`${relative(root, path)}: ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}
if (process.exitCode === 1) {
  console.error(
    'To update the code blocks, run: node --import tsx test/repo/check/readme-code.ts --write',
  )
} else {
  console.log('The code blocks of READMEs and guides equal their examples.')
}

function readExample(file: string, region: string | undefined): string | undefined {
  const path = join(root, file)
  return existsSync(path) ? extractRegion(readFileSync(path, 'utf8'), region) : undefined
}
