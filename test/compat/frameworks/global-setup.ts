import { copyFileSync, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../repo/check/workspaces.ts'
import { folderOf, programs, type Install } from './framework-programs.ts'

/** Copies each program, and the traps beside it, to the folder where its framework is installed. */
export function setup(): void {
  for (const install of Object.keys(programs) as Install[]) {
    const folder = folderOf(install)
    rmSync(folder, { recursive: true, force: true })
    for (const name of programs[install]) {
      cpSync(join(root, 'examples/frameworks', name), join(folder, name), { recursive: true })
      const traps = join(root, 'test/compat/frameworks/traps', `${name}.ts`)
      copyFileSync(traps, join(folder, name, 'traps.ts'))
    }
  }
}
