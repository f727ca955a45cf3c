// The entry points of the published packages, each of which has a page of the API.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './pages.mjs'

/** Each entry point by the name that users import, with its source and the name of its page. */
export function readEntries() {
  return readdirSync(join(root, 'packages')).flatMap((folder) => {
    const path = join(root, 'packages', folder, 'package.json')
    if (!existsSync(path)) return []
    const { name, exports = {}, private: isPrivate } = JSON.parse(readFileSync(path, 'utf8'))
    if (isPrivate) return []
    // The entries for other packages of the kit are no part of the API.
    const entries = Object.entries(exports).filter(([entry]) => entry !== './internal')
    return entries.map(([entry, conditions]) => ({
      name: entry === '.' ? name : `${name}${entry.slice(1)}`,
      file: `${folder}${entry === '.' ? '' : `-${entry.slice(2)}`}`,
      source: join(root, 'packages', folder, conditions['@feed-receiver/source']),
    }))
  })
}
