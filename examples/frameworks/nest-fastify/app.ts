import type { Server } from 'node:http'
import type { Receiver } from '@feed-receiver/core'
import { toFastify } from '@feed-receiver/fastify'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { AppModule } from './app.module.ts'

/** Serves the feed beside a controller whose body Nest parses. */
export async function startServer(receiver: Receiver, port: number): Promise<Server> {
  // #region app
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter())
  await app.register(toFastify(receiver), { path: '/webhooks/feed' })
  await app.listen(port)
  // #endregion
  return app.getHttpServer()
}
