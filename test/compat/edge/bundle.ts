import { isBuiltin } from 'node:module'
import { build, type Plugin } from 'vite'
import { root } from '../../repo/check/workspaces.ts'

// Modules that a worker never loads.
const external = [/^cloudflare:/, '@electric-sql/pglite', 'pg-native', 'vitest']

/** Leaves the modules of Node to the runtime, with the `node:` prefix. */
const ofNode: Plugin = {
  name: 'of-node',
  enforce: 'pre',
  resolveId: (id) =>
    isBuiltin(id) ? { id: `node:${id.replace(/^node:/, '')}`, external: true } : null,
}

// For CommonJS packages such as pg.
const requireOfNode = `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire('/')`

export interface BundleOptions {
  format?: 'es' | 'iife'
  /** Whether the runtime has the modules of Node. A bundle may then load them separately. */
  hasNode?: boolean
}

/** One file with all imports of a program, except modules of the runtime. */
export async function bundle(
  program: URL,
  { format = 'es', hasNode = false }: BundleOptions = {},
): Promise<string> {
  const made = await build({
    configFile: false,
    root,
    logLevel: 'silent',
    plugins: [ofNode],
    resolve: { conditions: ['@feed-receiver/source', 'workerd'] },
    build: {
      write: false,
      target: 'es2023',
      minify: false,
      lib: { entry: program.pathname, formats: [format], name: 'bundle' },
      rollupOptions: {
        external,
        output: { codeSplitting: false, banner: hasNode ? requireOfNode : '' },
      },
    },
  })
  const outputs = Array.isArray(made) ? made.flatMap(({ output }) => output) : []
  const [chunk] = outputs
  if (chunk?.type !== 'chunk' || outputs.length !== 1) {
    throw new Error(`${program.pathname} is not bundled into one file.`)
  }
  return chunk.code
}
