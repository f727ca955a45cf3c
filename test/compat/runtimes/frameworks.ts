import type { AddressInfo } from 'node:net'
import { toFetch, type Receiver } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import { toExpress } from '@feed-receiver/express'
import { toFastify } from '@feed-receiver/fastify'
import { toKoa } from '@feed-receiver/koa'
import express from 'express'
import Fastify from 'fastify'
import Koa from 'koa'
import type { Served } from '../../contract/harness.ts'
import { listen } from '../../contract/listen.ts'

type FetchHandler = (request: Request) => Promise<Response>

const path = '/webhooks/feed'

export type Framework = keyof typeof frameworks

/** Serves a receiver on a free loopback port, at `path` for every method. */
export function serveWith(framework: Framework, receiver: Receiver): Promise<Served> {
  return frameworks[framework](receiver)
}

const frameworks = {
  express: (receiver: Receiver) => listen(express().all(path, toExpress(receiver))),
  koa: (receiver: Receiver) => {
    const handle = new Koa().use(toKoa(receiver)).callback()
    return listen((request, response) => void handle(request, response))
  },
  async fastify(receiver: Receiver): Promise<Served> {
    const app = Fastify({ forceCloseConnections: true })
    await app.register(toFastify(receiver), { path })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
  },
  fetch: (receiver: Receiver) => serveFetch(toFetch(receiver)),
}

interface BunServer {
  port: number
  stop(closesConnections: boolean): Promise<void>
}

interface DenoServer {
  addr: { port: number }
  shutdown(): Promise<void>
}

/** The runtime's replacement for `node:http`. Node has neither. */
interface OtherRuntimes {
  Bun?: { serve(options: object): BunServer }
  Deno?: { serve(options: object, handler: FetchHandler): DenoServer }
}

/** With the runtime's own server for fetch handlers, if it has one. */
async function serveFetch(handler: FetchHandler): Promise<Served> {
  const { Bun, Deno } = globalThis as OtherRuntimes
  if (Bun) {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: handler })
    return { port: server.port, close: () => server.stop(true) }
  }
  if (Deno) {
    const options = { port: 0, hostname: '127.0.0.1', onListen: () => {} }
    const server = Deno.serve(options, handler)
    return { port: server.addr.port, close: () => server.shutdown() }
  }
  const handle = toNodeHandler(handler)
  return await listen((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
}
