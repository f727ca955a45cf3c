import type { Readable, Writable } from 'node:stream'

/** What the command knows of the world around it. */
export interface Context {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  input: Readable
  output: Writable
  /** Whether somebody sits there who can be asked. */
  canAsk: boolean
  /** Whether the output is a terminal, where lines may be replaced. */
  hasTerminal: boolean
  /** Aborts with Ctrl-C. */
  signal: AbortSignal
  print: (line: string) => void
  complain: (line: string) => void
}

/** Those of the templates. */
export const frameworks = ['express', 'koa', 'fastify', 'next', 'hono', 'nest'] as const
export type Framework = (typeof frameworks)[number]

/** Those of apps to which `--into` adds the feed. */
export const appFrameworks = [...frameworks, 'sveltekit', 'nuxt'] as const
export type AppFramework = (typeof appFrameworks)[number]

export const databases = ['embedded', 'postgres'] as const
export type DatabaseKind = (typeof databases)[number]

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const
export type PackageManager = (typeof packageManagers)[number]

/** What an app is made by. */
export interface Choices {
  folder: string
  template: Framework
  database: DatabaseKind
  pm: PackageManager
}

/** What a command line says of a new app. */
export interface Flags extends Partial<Choices> {
  install: boolean
  git: boolean
  overwrite?: true
  dryRun?: true
  yes?: true
}

/** What a command line says. */
export interface CommandLine extends Omit<Flags, 'template'> {
  into?: string
  template?: AppFramework
}
