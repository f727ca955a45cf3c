import type { Server } from 'node:http'
import type { Receiver } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { AppModule } from './app.module.ts'

/** Serves the feed beside a controller whose body Nest parses. */
export async function startServer(receiver: Receiver, port: number): Promise<Server> {
  // #region app
  const app = await NestFactory.create<NestExpressApplication>(AppModule)
  app.use('/webhooks/feed', toExpress(receiver)) // before listen(), which adds Nest's body parser
  await app.listen(port)
  // #endregion
  return app.getHttpServer()
}
