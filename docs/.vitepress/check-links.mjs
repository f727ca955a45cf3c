// Finds links of the built site that lead to no page, or to no heading of it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const site = fileURLToPath(new URL('dist', import.meta.url))
const base = process.env.DOCS_BASE ?? '/'
const pages = new Map(
  readdirSync(site, { recursive: true })
    .filter((path) => path.endsWith('.html'))
    .map((path) => [join(site, path), readFileSync(join(site, path), 'utf8')]),
)
const anchors = new Map(
  [...pages].map(([path, html]) => [path, new Set(valuesOf(html, / id="([^"]*)"/g))]),
)

let links = 0
for (const [path, html] of pages) {
  for (const link of new Set(valuesOf(html, /<a\b[^>]* href="([^"]*)"/g))) {
    if (/^[a-z]+:/.test(link)) continue
    links += 1
    if (leads(path, link)) continue
    console.error(`${relative(site, path)}: ${link} leads nowhere.`)
    process.exitCode = 1
  }
}
if (process.exitCode !== 1) {
  console.log(`Every one of ${links} links on ${pages.size} pages leads somewhere.`)
}

function leads(from, link) {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? from : fileOf(from, path)
  if (target === undefined) return false
  if (anchor === undefined || anchor === '' || !pages.has(target)) return true
  return anchors.get(target).has(decodeURIComponent(anchor))
}

function fileOf(from, path) {
  const target = path.startsWith(base)
    ? join(site, path.slice(base.length))
    : resolve(dirname(from), path)
  return [target, `${target}.html`, join(target, 'index.html')].find(
    (file) => pages.has(file) || (/\.\w+$/.test(file) && existsSync(file)),
  )
}

function valuesOf(text, pattern) {
  return [...text.matchAll(pattern)].map(([, value]) => value.replaceAll('&amp;', '&'))
}
