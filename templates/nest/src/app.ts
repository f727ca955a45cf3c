import type { AddressInfo } from 'node:net'
import { createConsole, type ConsoleAccess } from '@feed-receiver/console'
import { toNodeHandler } from '@feed-receiver/core/node'
import { toExpress } from '@feed-receiver/express'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { AppModule } from './app.module.ts'
import { FeedService, type FeedOptions } from './feed.service.ts'

export interface AppOptions extends FeedOptions {
  /** 0 chooses a free port. */
  port: number
  /** Access to the console at /console/; if undefined, there is no console. */
  access?: ConsoleAccess | undefined
}

export async function startApp({ database, secrets, port, access }: AppOptions) {
  const root = AppModule.register({ database, secrets })
  const app = await NestFactory.create<NestExpressApplication>(root)
  const { receiver, inbox } = app.get(FeedService)
  app.use('/webhooks/feed', toExpress(receiver)) // before listen(), which adds Nest's body parser
  if (access) {
    const feedConsole = createConsole({ inbox, token: access.token, readOnly: false })
    app.use('/console', toNodeHandler(feedConsole)) // before listen() too
  }

  // By default Nest re-sends itself the signal after the shutdown, which looks like a crash.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true })
  await app.listen(port)
  const { port: actualPort } = app.getHttpServer().address() as AddressInfo
  return { port: actualPort, inbox, stop: () => app.close() }
}
