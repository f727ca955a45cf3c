import { spawnSync } from 'node:child_process'
import { readThere, withLines } from './env-file.ts'

/** What git must not see: the secret, and the embedded database. */
const ownPaths = ['.env', '.feed-receiver/']

/** What .gitignore in a folder lacks, with its text as it must become; undefined where it lacks nothing. */
export function planIgnored(folder: string): { text: string; lacking: string[] } | undefined {
  const text = readThere(folder, '.gitignore') ?? ''
  const lacking = ownPaths.filter((path) => !isIgnored(folder, path, text))
  if (lacking.length === 0) return undefined
  return { text: withLines(text, lacking), lacking }
}

/** Whether git has a file already, which no .gitignore takes out again. */
export function isTracked(folder: string, path: string): boolean {
  const listed = spawnSync('git', ['ls-files', '--error-unmatch', '--', path], { cwd: folder })
  return listed.status === 0
}

// A .gitignore further up counts too, so git is asked; it knows nothing outside of a repository.
function isIgnored(folder: string, path: string, text: string): boolean {
  const asked = ['check-ignore', '--no-index', '--quiet', '--', path]
  const { status } = spawnSync('git', asked, { cwd: folder })
  if (status === 0 || status === 1) return status === 0
  const bare = path.replace(/\/$/, '')
  const lines = text.split('\n').map((line) => line.trim())
  return [path, bare, `/${path}`, `/${bare}`].some((known) => lines.includes(known))
}
