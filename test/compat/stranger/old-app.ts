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
  /** The file that needs a line, or undefined if nothing is left to add. */
  edited?: string
  mount?: (text: string, line: string, importLine: string) => string
}
