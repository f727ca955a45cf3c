import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Receiver } from '@feed-receiver/core'
import { root } from '../../repo/check/workspaces.ts'
import type { Serve } from '../../contract/harness.ts'

/** The programs of examples/frameworks, by the folder of test/support/tools in which they are installed. */
export const programs = {
  frameworks: ['hono', 'h3', 'hapi', 'nest-express', 'nest-fastify', 'elysia', 'elysia-bun'],
  'frameworks-older': ['h3-1', 'nest-express', 'nest-fastify'],
} as const

export type Install = keyof typeof programs
export type FrameworkProgram = (typeof programs)[Install][number]

type StartServer = (receiver: Receiver, port: number) => Promise<Server>

/** Serves a receiver with a program. */
export function serveProgram(install: Install, name: FrameworkProgram): Serve {
  return serveBy(join(folderOf(install), name, 'app.ts'), 'startServer')
}

/** Serves a receiver in a way that the guide warns about. */
export function serveTrap(install: Install, name: FrameworkProgram, trap: string): Serve {
  return serveBy(join(folderOf(install), name, 'traps.ts'), trap)
}

/**
 * The folder to which programs are copied, so that they find their frameworks like those of a user.
 */
export function folderOf(install: Install): string {
  return join(root, 'test/support/tools', install, 'programs')
}

function serveBy(path: string, name: string): Serve {
  return async (receiver) => {
    const exported = (await import(path)) as Record<string, StartServer>
    const server = await exported[name]?.(receiver, 0)
    if (!server) throw new Error(`${path} exports no ${name}.`)
    if (!server.listening) await once(server, 'listening')
    return {
      // The address of a TCP server that listens always has this form.
      port: (server.address() as AddressInfo).port,
      async close() {
        server.close()
        server.closeAllConnections()
        await once(server, 'close')
      },
    }
  }
}
