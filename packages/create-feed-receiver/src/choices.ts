export const frameworks = ['express', 'koa', 'fastify', 'next'] as const
export type Framework = (typeof frameworks)[number]

export const databases = ['embedded', 'postgres'] as const
export type DatabaseKind = (typeof databases)[number]

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const
export type PackageManager = (typeof packageManagers)[number]

/** What an app is made by. */
export interface Choices {
  folder: string
  framework: Framework
  database: DatabaseKind
  packageManager: PackageManager
}
