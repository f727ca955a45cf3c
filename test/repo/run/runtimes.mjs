// Finds the tested runtimes, which come from npm because a machine usually has only one Node.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'

const { platform, arch } = process
const bunArch = arch === 'arm64' ? 'aarch64' : arch

/** The path of each runtime's executable, below `test/support/tools/node_modules`. */
const executables = {
  'node-20': `node-20-${platform}-${arch}/bin/node`,
  'node-22': `node-22-${platform}-${arch}/bin/node`,
  'node-24': `node-${platform}-${arch}/bin/node`,
  'node-26': `node-26-${platform}-${arch}/bin/node`,
  bun: `@oven/bun-${platform}-${bunArch}/bin/bun`,
  deno: `@deno/${platform}-${arch}-glibc/deno`,
}

/** The path of the executable. Throws if there is none for this platform. */
export function findRuntime(name) {
  const path = join(root, 'test/support/tools/node_modules', executables[name])
  if (existsSync(path)) return path
  throw new Error(
    `There is no ${name} for ${platform}-${arch}. Run: cd test/support/tools && npm ci`,
  )
}

/** The same for a command: ends the process with the message. */
export function requireRuntime(name) {
  try {
    return findRuntime(name)
  } catch (error) {
    console.error(error.message)
    return process.exit(2)
  }
}
