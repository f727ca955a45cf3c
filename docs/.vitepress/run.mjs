// npm run docs, npm run docs:build: writes the reference, then serves or builds the site.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  ensureInstalled,
  fromSource,
  requireNode,
  root,
  run,
} from '../../test/repo/run/install.mjs'

const docs = join(root, 'docs')
const [verb = 'dev', ...args] = process.argv.slice(2)

requireNode()
await ensureInstalled()
await ensureInstalled(docs, 'what builds the site')

rmSync(join(docs, 'reference/generated'), { recursive: true, force: true })
must('node', [...fromSource, 'docs/.vitepress/reference/write-reference.ts'])
must('node', ['docs/.vitepress/write-api.mjs'])
must('node', ['docs/node_modules/vitepress/bin/vitepress.js', verb, 'docs', ...args])
if (verb === 'build') must('node', ['docs/.vitepress/check-links.mjs'])

function must(command, commandArgs) {
  const status = run(command, commandArgs)
  if (status !== 0) process.exit(status)
}
