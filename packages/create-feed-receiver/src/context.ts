import type { Readable, Writable } from 'node:stream'

export interface Context {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  input: Readable
  output: Writable
  /** Whether somebody at a terminal can answer questions. */
  canAsk: boolean
  /** Whether the output is a terminal, where lines can be replaced. */
  hasTerminal: boolean
  /** Aborts with Ctrl-C. */
  signal: AbortSignal
  print: (line: string) => void
  complain: (line: string) => void
}

/** The frameworks of the templates. */
export const frameworks = ['express', 'koa', 'fastify', 'next', 'hono', 'nest'] as const
export type Framework = (typeof frameworks)[number]

/** The frameworks of apps to which `--into` adds the feed. */
export const appFrameworks = [...frameworks, 'sveltekit', 'nuxt'] as const
export type AppFramework = (typeof appFrameworks)[number]

export const databases = ['embedded', 'postgres'] as const
export type DatabaseKind = (typeof databases)[number]

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const
export type PackageManager = (typeof packageManagers)[number]

export interface Choices {
  folder: string
  template: Framework
  database: DatabaseKind
  pm: PackageManager
}

export interface Flags extends Partial<Choices> {
  install: boolean
  git: boolean
  overwrite?: true
  dryRun?: true
  yes?: true
  /** The names of recipes, separated by commas. */
  recipe?: string
}

export interface CommandLine extends Omit<Flags, 'template'> {
  into?: string
  template?: AppFramework
}
