export const frameworks = ['express', 'koa', 'fastify', 'next'] as const
export type Framework = (typeof frameworks)[number]

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

/** What a command line says. */
export interface Flags extends Partial<Choices> {
  into?: string
  yes?: true
  install: boolean
  git: boolean
  overwrite?: true
  dryRun?: true
}
