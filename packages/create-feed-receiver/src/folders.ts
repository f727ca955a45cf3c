import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The shell command that enters a folder; none for the current one. */
export function commandsInto(folder: string): string[] {
  if (folder === '.' || folder === '') return []
  return [`cd ${/[^\w./-]/.test(folder) ? `"${folder}"` : folder}`]
}

/** A folder, and those above it up to the root of its repository, if it is in one. */
export function foldersToRoot(folder: string): string[] {
  const folders = withParents(folder)
  const root = folders.findIndex((one) => existsSync(join(one, '.git')))
  return folders.slice(0, Math.max(root, 0) + 1)
}

/** The folders in which Node looks for packages: that of a folder, and those above it. */
export function packageFolders(folder: string): string[] {
  return withParents(folder).map((one) => join(one, 'node_modules'))
}

function withParents(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...withParents(above)]
}
