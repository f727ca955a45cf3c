/** An existing app without the feed. */
export interface OldApp {
  name: string
  /** The framework, if the manifest does not contain it. */
  template?: string
  manifest: object
  /** Contents by path. */
  files: Record<string, string>
  /** The commands that build and type-check it. */
  builds?: string[][]
  start: string[]
  /** The file that needs lines, or undefined if nothing is left to add. */
  edited?: string
  mount?: (text: string, line: string, importLine: string) => string
  /** Its commands for linting and tests, which pass before the addition and after it. */
  checks?: string[][]
  /** A test in vitest, by its path, that is written and run after the addition. */
  seamTest?: { path: string; text: string }
}

/** Adds the import at the top, and the other lines in place of a comment. */
export function withImport(text: string, line: string, importLine: string): string {
  return `${importLine}\n${text.replace('// HERE', line)}`
}
