import { join } from 'node:path'
import { listFiles, root } from './workspaces.ts'

const folders = ['docs', 'packages', 'templates', 'test'].map((name) => join(root, name))

/** The paths of what users read: READMEs and guides. */
export function listDocuments(): string[] {
  const below = folders.flatMap((folder) =>
    listFiles(folder, (path) => path.endsWith('.md') && !path.includes('/dist/')),
  )
  return [join(root, 'README.md'), ...below]
}
