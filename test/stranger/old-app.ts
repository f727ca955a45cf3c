/** An app that somebody had before the feed. */
export interface OldApp {
  name: string
  /** The framework, where the manifest does not say it. */
  template?: string
  manifest: object
  /** By path, with what is in them. */
  files: Record<string, string>
  /** What builds and type-checks it. */
  builds?: string[][]
  start: string[]
  /** The file that gets the line; undefined where none is left to add. */
  edited?: string
  mount?: (text: string, line: string, importLine: string) => string
}
