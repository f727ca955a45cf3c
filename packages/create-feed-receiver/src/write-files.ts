import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CreateError } from './errors.ts'

/**
 * Writes all files or none: if one fails, the others are undone. Never yields, so that Ctrl-C
 * cannot interrupt it.
 *
 * @throws CreateError `not_written`, which names the file.
 */
export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  const undoing: (() => void)[] = []
  for (const [path, contents] of files) {
    try {
      writeFile(join(folder, path), contents, undoing)
    } catch (error) {
      const left = undo(undoing)
      throw new CreateError(
        'not_written',
        `${path} cannot be written (${messageOf(error)}). ${left}`,
        error,
      )
    }
  }
}

function writeFile(path: string, contents: string, undoing: (() => void)[]): void {
  makeFolder(dirname(path), undoing)
  const before = existsSync(path) ? readFileSync(path) : undefined
  undoing.push(() => (before ? writeFileSync(path, before) : rmSync(path, { force: true })))
  // Only the owner may read secrets.
  const mode = path.endsWith('.env') ? 0o600 : 0o666
  writeFileSync(path, contents, { mode })
}

function makeFolder(path: string, undoing: (() => void)[]): void {
  if (existsSync(path)) return
  makeFolder(dirname(path), undoing)
  mkdirSync(path)
  undoing.push(() => rmdirSync(path))
}

function undo(undoing: (() => void)[]): string {
  try {
    for (const one of undoing.toReversed()) one()
    return 'No files were changed.'
  } catch (error) {
    return `Some changes could not be undone (${messageOf(error)}). Check the folder.`
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
