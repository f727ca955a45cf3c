import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles, root } from './workspaces.ts'

const folders = ['docs', 'packages', 'templates', 'test'].map((name) => join(root, name))

/** The paths of READMEs and guides, without the pages that a server serves. */
export function listDocuments(): string[] {
  const below = folders.flatMap((folder) =>
    listFiles(folder, (path) => path.endsWith('.md') && !/\/(?:dist|generated|src)\//.test(path)),
  )
  // The changelog is not updated, even if a heading that it links to changes.
  const own = readdirSync(root).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md')
  return [...own.map((name) => join(root, name)), ...below]
}
