import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { defineTool } from './tool.ts'
import texts from './tools.json' with { type: 'json' }

/** The packages that are installed with this one. npm packs the README of each. */
export const documented = [
  'cli',
  'console',
  'core',
  'database',
  'inbox',
  'sandbox',
  'sender',
] as const
type Documented = (typeof documented)[number]

const maxFound = 10

/** The README of a package, in the installed version. */
export function readDocs(name: Documented): string {
  return readFileSync(new URL('../README.md', entryOf(name)), 'utf8')
}

/** The main entry of a package, in its folder `dist` or `src`. */
function entryOf(name: Documented): string {
  return import.meta.resolve(name === 'cli' ? '../index.js' : `@feed-receiver/${name}`)
}

interface Section {
  package: Documented
  heading: string
  text: string
}

function sectionsOf(name: Documented): Section[] {
  return readDocs(name)
    .split(/^(?=#{1,4} )/m)
    .map((text) => ({ package: name, heading: text.split('\n', 1)[0] ?? '', text: text.trim() }))
}

const readTool = defineTool({
  ...texts.readDocs,
  effect: 'reads',
  input: z.object({ package: z.enum(documented) }),
  answer: async ({ package: name }) => ({ ok: true, says: [readDocs(name)], untrusted: null }),
})

const searchTool = defineTool({
  ...texts.searchDocs,
  effect: 'reads',
  input: z.object({ words: z.string().min(2).max(200) }),
  async answer({ words }) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
    const found = documented
      .flatMap(sectionsOf)
      .filter(({ text }) => wanted.every((word) => text.toLowerCase().includes(word)))
      .slice(0, maxFound)
    const says = found.map((one) => `[${one.package}] ${one.text}`)
    if (says.length === 0) says.push('No section contains all these words. Use fewer words.')
    return { ok: found.length > 0, says, untrusted: null }
  },
})

export const docsTools = [readTool, searchTool]
