import type { Server } from 'node:http'
import type { Receiver } from '@feed-receiver/core'
import { toFastify } from '@feed-receiver/fastify'
import {
  All,
  Controller,
  Logger,
  Module,
  Req,
  Res,
  type RawBodyRequest,
  type Type,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyReply, FastifyRequest } from 'fastify'

// Nest would print some lines for each test.
Logger.overrideLogger(false)

/** A controller behind the parsers of Fastify, which keep the raw body. */
export async function asRawBodyController(receiver: Receiver, port: number): Promise<Server> {
  const app = await create(controllerOf(receiver), { rawBody: true })
  await app.listen(port)
  return app.getHttpServer()
}

/** A controller in an app without the parsers of Nest. Fastify then uses its own. */
export async function withoutParser(receiver: Receiver, port: number): Promise<Server> {
  const app = await create(controllerOf(receiver), { bodyParser: false })
  await app.listen(port)
  return app.getHttpServer()
}

/** Mounted as in the guide, with a guard and a prefix for all controllers. */
export async function besideGuardAndPrefix(receiver: Receiver, port: number): Promise<Server> {
  const app = await create(controllerOf(), {})
  app.setGlobalPrefix('api')
  app.useGlobalGuards({ canActivate: () => false })
  await app.register(toFastify(receiver), { path: '/webhooks/feed' })
  await app.listen(port)
  return app.getHttpServer()
}

/** Mounted as in the guide, with the CSRF protection of Nest 12. */
export async function behindCsrfProtection(receiver: Receiver, port: number): Promise<Server> {
  const app = await create(controllerOf(), {})
  // The types of Nest 11 do not have it.
  ;(app as unknown as { enableCsrfProtection(): void }).enableCsrfProtection()
  await app.register(toFastify(receiver), { path: '/webhooks/feed' })
  await app.listen(port)
  return app.getHttpServer()
}

function create(module: Type, options: { rawBody?: boolean; bodyParser?: boolean }) {
  return NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), options)
}

/** A module with a controller for the feed, or with an unused one if there is no receiver. */
function controllerOf(receiver?: Receiver) {
  @Controller(receiver ? 'webhooks/feed' : 'other')
  class FeedController {
    @All()
    async receive(@Req() request: RawBodyRequest<FastifyRequest>, @Res() reply: FastifyReply) {
      if (!receiver) return
      const { method, headers, rawBody } = request
      const answer = await receiver.receive({ method, headers, body: rawBody ?? 'already_read' })
      reply.code(answer.status).headers(answer.headers).send(answer.body)
    }
  }
  @Module({ controllers: [FeedController] })
  class FeedModule {}
  return FeedModule
}
