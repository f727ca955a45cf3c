import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { defineTool } from './tool.ts'

interface DocsPage {
  /** The name of a package, or `guides/<name>`. */
  name: string
  title: string
  read(): string
}

/** The main entry of this package, in its folder `dist` or `src`. */
const entry = import.meta.resolve('../index.js')

/** An entry of each package that is installed with this one. npm packs the README of each. */
const entries = [
  'console',
  'core',
  'database',
  'inbox',
  'operate/alerts',
  'sandbox',
  'sender',
  'shards',
]

export const docsPages: readonly DocsPage[] = [
  readmeOf('cli', entry),
  ...entries.map((path) => readmeOf(path, import.meta.resolve(`@feed-receiver/${path}`))),
  ...listGuides(),
]

/** The README in the folder above that of an entry, or two above for one such as `operate/alerts`. */
function readmeOf(path: string, from: string): DocsPage {
  const [name = ''] = path.split('/')
  const file = new URL(`${path.replaceAll(/[^/]+/g, '..')}/README.md`, from)
  return { name, title: `README of ${name}`, read: () => readFileSync(file, 'utf8') }
}

/** What only the documentation site reads. */
const frontMatter = /^---\n.*?\n---\n+/s

/** The guides: of the repository, or those that `copy-guides.mjs` packs beside the code. */
function listGuides(): DocsPage[] {
  // An installed package has no such file, and its app may have guides of its own.
  const isRepository = existsSync(new URL('../copy-guides.mjs', entry))
  const folder = new URL(isRepository ? '../../../docs/guides/' : 'guides/', entry)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .toSorted()
    .map((file) => {
      const name = file.replace(/\.md$/, '')
      const read = () => readFileSync(new URL(file, folder), 'utf8').replace(frontMatter, '')
      return { name: `guides/${name}`, title: `Guide: ${name}`, read }
    })
}

const readTool = defineTool({
  name: 'feed_docs_read',
  title: 'Read the documentation',
  description: 'Returns one page: the README of a package of the kit, or a guide.',
  effect: 'reads',
  input: z.object({ page: z.enum(docsPages.map(({ name }) => name)) }),
  async answer({ page }) {
    const says = docsPages.flatMap(({ name, read }) => (name === page ? [read()] : []))
    return { ok: true, says, untrusted: null }
  },
})

const maxFound = 10

const searchTool = defineTool({
  name: 'feed_docs_search',
  title: 'Search the documentation',
  description: 'Finds the sections of the READMEs and guides that contain all of these words.',
  effect: 'reads',
  input: z.object({ words: z.string().min(2).max(200) }),
  async answer({ words }) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
    const countIn = (text: string) => wanted.filter((word) => text.includes(word)).length
    const found = docsPages
      .flatMap(sectionsOf)
      .filter(({ text }) => countIn(text.toLowerCase()) === wanted.length)
      .toSorted((one, other) => countIn(other.heading) - countIn(one.heading))
      .slice(0, maxFound)
    const says = found.map((one) => `[${one.page}] ${one.text}`)
    if (says.length === 0) says.push('No section contains all these words. Use fewer words.')
    return { ok: found.length > 0, says, untrusted: null }
  },
})

/** The sections of a page, with their headings in lower case. */
function sectionsOf({ name, read }: DocsPage) {
  return read()
    .split(/^(?=#{1,4} )/m)
    .map((text) => {
      const [heading = ''] = text.toLowerCase().split('\n', 1)
      return { page: name, heading, text: text.trim() }
    })
}

export const docsTools = [readTool, searchTool]
