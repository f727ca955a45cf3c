// Which Markdown of the repository is a page of the site, and where links between files lead there.
import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const repository = 'https://github.com/feed-receiver/feed-receiver'

const alone = {
  'README.md': 'overview.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
}

/** The page that a file of the repository becomes, such as `guides/deploy.md`; undefined for none. */
export function pageOf(file) {
  if (file in alone) return alone[file]
  const generated = /^docs\/reference\/generated\/(.+\.md)$/.exec(file)
  if (generated) return asIndex(`reference/${generated[1]}`)
  const guide = /^docs\/(.+\.md)$/.exec(file)
  if (guide && !guide[1].includes('node_modules/')) return asIndex(guide[1])
  return /^packages\/[^/]+\/README\.md$/.test(file) ? asIndex(file) : undefined
}

function asIndex(path) {
  return path.replace(/(^|\/)README\.md$/, '$1index.md')
}

/** What VitePress does not read: Markdown that belongs to tests, templates and tools. */
export const srcExclude = [
  '{examples,templates,test}/**',
  'docs/node_modules/**',
  'packages/*/{page,skills,src,templates}/**',
  'packages/page-kit/**',
  'packages/*/CHANGELOG.md',
  '!(README|CHANGELOG|CONTRIBUTING).md',
]

/**
 * Where a link leads that is written for GitHub: to a page of the site, or else to the file in the
 * repository. Undefined for a link that stays as it is.
 */
export function leadTo(link, from) {
  if (/^(?:[a-z][a-z+.-]*:|\/|#)/i.test(link)) return undefined
  const [path = '', anchor] = link.split('#')
  const target = join(dirname(from), decodeURI(path))
  const file = relative(root, target).split(sep).join('/')
  const page = pageOf(file)
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (page !== undefined && existsSync(target))
    return `/${page.replace(/(^|\/)index\.md$/, '$1')}${hash}`
  if (!existsSync(target)) throw new Error(`${relative(root, from)}: (${link}) leads nowhere.`)
  const kind = statSync(target).isDirectory() ? 'tree' : 'blob'
  return `${repository}/${kind}/main/${file}${hash}`
}

/** The anchor of a heading, as GitHub makes it, so that links hold in both places. */
export function anchorOf(title) {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}
