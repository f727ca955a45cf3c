import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../../repo/check/workspaces.ts'
import type { Running } from './start-workerd.ts'

/** The part of the package `edge-runtime` that is used here. */
interface EdgeRuntimePackage {
  EdgeRuntime: new (options: { initialCode: string }) => object
  runServer(options: { runtime: object; host: string; port: number }): Promise<{
    url: string
    close(): Promise<unknown>
  }>
}

/** Runs a bundle as a script in the runtime that Next uses for edge functions. */
export async function startEdgeRuntime(code: string): Promise<Running> {
  const require = createRequire(join(root, 'test/support/tools/edge/package.json'))
  const { EdgeRuntime, runServer }: EdgeRuntimePackage = require('edge-runtime')
  const runtime = new EdgeRuntime({ initialCode: code })
  const { url, close } = await runServer({ runtime, host: '127.0.0.1', port: 0 })
  return { url, stop: async () => void (await close()) }
}
