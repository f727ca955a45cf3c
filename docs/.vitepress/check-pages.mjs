// Without a build: whether each page is in the navigation, and each link of pages and navigation leads.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readEntries } from './entries.mjs'
import { pageOf, root } from './pages.mjs'
import { relink } from './repository-links.mjs'
import { sidebar } from './sidebar.mjs'

const written = ['README', 'cli', 'errors', 'http', 'tables']
const entries = readEntries()
const generated = [...written, ...entries.map(({ file }) => `api/${file}`)]
const files = ['.', 'docs', ...foldersIn('packages'), ...foldersIn('docs')].flatMap(markdownIn)

const pages = new Set(
  [...files, ...generated.map((name) => `docs/reference/generated/${name}.md`)].map(addressOf),
)
const groups = Object.values(sidebar(entries, files.includes('CONTRIBUTING.md'))).flat()
const shown = new Set(['/', ...linksOf(groups)])

for (const file of files) {
  try {
    relink(readFileSync(join(root, file), 'utf8'), join(root, file))
  } catch (error) {
    fail(error.message)
  }
}
for (const page of pages) if (!shown.has(page)) fail(`${page} is not in sidebar.mjs.`)
for (const link of shown) if (!pages.has(link)) fail(`sidebar.mjs: ${link} leads nowhere.`)
if (process.exitCode !== 1) console.log(`All of ${pages.size} pages are in the navigation.`)

function foldersIn(parent) {
  return readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^\.|node_modules|reference/.test(entry.name))
    .map(({ name }) => join(parent, name))
}

function markdownIn(folder) {
  return readdirSync(join(root, folder))
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith('.md') && pageOf(file) && !file.includes('page-kit'))
}

function addressOf(file) {
  return `/${pageOf(file)}`.replace(/(?:index)?\.md$/, '')
}

function linksOf(items) {
  return items.flatMap(({ link, items: below = [] }) => [
    ...(link ? [link] : []),
    ...linksOf(below),
  ])
}

function fail(text) {
  console.error(text)
  process.exitCode = 1
}
