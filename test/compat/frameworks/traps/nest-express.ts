import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Receiver } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import { toExpress } from '@feed-receiver/express'
import { All, Controller, Logger, Module, Req, Res, type MiddlewareConsumer } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'

// Nest would print some lines for each test.
Logger.overrideLogger(false)

/** A controller behind the parser of Nest. */
export async function asController(receiver: Receiver, port: number): Promise<Server> {
  const app = await NestFactory.create(controllerOf(receiver))
  await app.listen(port)
  return app.getHttpServer()
}

/** A controller behind the parser of Nest, which keeps the raw body. */
export async function asRawBodyController(receiver: Receiver, port: number): Promise<Server> {
  const app = await NestFactory.create(controllerOf(receiver), { rawBody: true })
  await app.listen(port)
  return app.getHttpServer()
}

/** A controller in an app without the parser of Nest. */
export async function withoutParser(receiver: Receiver, port: number): Promise<Server> {
  const app = await NestFactory.create(controllerOf(receiver), { bodyParser: false })
  await app.listen(port)
  return app.getHttpServer()
}

/** A controller behind a guard for all controllers. */
export async function behindGuard(receiver: Receiver, port: number): Promise<Server> {
  const app = await NestFactory.create(controllerOf(receiver), { bodyParser: false })
  app.useGlobalGuards({ canActivate: () => false })
  await app.listen(port)
  return app.getHttpServer()
}

/** Middleware of a module, which runs after the parser of Nest. */
export async function asModuleMiddleware(receiver: Receiver, port: number): Promise<Server> {
  @Module({})
  class FeedModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(toExpress(receiver)).forRoutes('webhooks/feed')
    }
  }
  const app = await NestFactory.create(FeedModule)
  await app.listen(port)
  return app.getHttpServer()
}

/** Mounted as in the guide, but after `init`, which has added the 404 of Nest. */
export async function afterInit(receiver: Receiver, port: number): Promise<Server> {
  const app = await NestFactory.create(controllerOf())
  await app.init()
  app.use('/webhooks/feed', toExpress(receiver))
  await app.listen(port)
  return app.getHttpServer()
}

/** Mounted as in the guide, with a guard and a prefix for all controllers. */
export async function besideGuardAndPrefix(receiver: Receiver, port: number): Promise<Server> {
  const app = await NestFactory.create(controllerOf())
  app.setGlobalPrefix('api')
  app.useGlobalGuards({ canActivate: () => false })
  app.use('/webhooks/feed', toExpress(receiver))
  await app.listen(port)
  return app.getHttpServer()
}

/** Mounted as in the guide, with a receiver from a provider. */
export async function fromProvider(receiver: Receiver, port: number): Promise<Server> {
  @Module({ providers: [{ provide: 'FEED_RECEIVER', useValue: receiver }] })
  class FeedModule {}
  const app = await NestFactory.create(FeedModule)
  app.use('/webhooks/feed', toExpress(app.get('FEED_RECEIVER')))
  await app.listen(port)
  return app.getHttpServer()
}

/** Mounted as in the guide, with the CSRF protection of Nest 12. */
export async function behindCsrfProtection(receiver: Receiver, port: number): Promise<Server> {
  const app = await NestFactory.create(controllerOf())
  // The types of Nest 11 do not have it.
  ;(app as unknown as { enableCsrfProtection(): void }).enableCsrfProtection()
  app.use('/webhooks/feed', toExpress(receiver))
  await app.listen(port)
  return app.getHttpServer()
}

/** A module with a controller for the feed, or with an unused one if there is no receiver. */
function controllerOf(receiver?: Receiver) {
  @Controller(receiver ? 'webhooks/feed' : 'other')
  class FeedController {
    @All()
    async receive(@Req() request: IncomingMessage, @Res() response: ServerResponse) {
      if (!receiver) return
      const { status, headers, body } = await receiver.receive(fromNode(request))
      response.writeHead(status, headers).end(body)
    }
  }
  @Module({ controllers: [FeedController] })
  class FeedModule {}
  return FeedModule
}
