// Whether this machine has its own PostgreSQL to start servers with.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export function hasPostgres() {
  const debian = '/usr/lib/postgresql'
  const folders = [
    ...(process.env.PATH ?? '').split(':'),
    ...(existsSync(debian)
      ? readdirSync(debian).map((version) => join(debian, version, 'bin'))
      : []),
  ]
  return folders.some((folder) => existsSync(join(folder, 'initdb')))
}
