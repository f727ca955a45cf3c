import { join } from 'node:path'
import { listFiles, root } from './workspaces.ts'

const folders = ['docs', 'packages', 'templates', 'test'].map((name) => join(root, name))

/** The paths of what users read here: READMEs and guides, but not the pages that a server serves. */
export function listDocuments(): string[] {
  const below = folders.flatMap((folder) =>
    listFiles(folder, (path) => path.endsWith('.md') && !/\/(?:dist|generated|src)\//.test(path)),
  )
  return [join(root, 'README.md'), ...below]
}
