/** Finds links in the READMEs and guides to missing files or headings of this repository. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { listDocuments } from './documents.ts'
import { anchorsOf, findLinks } from './markdown-links.ts'
import { root } from './workspaces.ts'

const documents = listDocuments()
for (const document of documents) {
  for (const link of findLinks(readFileSync(document, 'utf8'))) {
    if (leads(document, link)) continue
    console.error(`${relative(root, document)}: (${link}) leads nowhere.`)
    process.exitCode = 1
  }
}
if (process.exitCode !== 1) console.log(`All links of ${documents.length} documents work.`)

function leads(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? document : join(dirname(document), path)
  if (!existsSync(target)) return false
  if (anchor === undefined) return true
  return statSync(target).isFile() && anchorsOf(readFileSync(target, 'utf8')).has(anchor)
}
