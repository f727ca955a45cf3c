import { Router } from '@koa/router'
import { toKoa } from '@feed-receiver/koa'
import type { RequestListener } from 'node:http'
import Koa from 'koa'
import Koa2 from 'koa-2'
import { path } from './harness.ts'
import { listen } from './listen.ts'
import { describeContract, describeHandlerContract } from './suite.ts'
import { throughSupertest } from './supertest.ts'

describeContract('Koa 3', (receiver) => {
  const router = new Router().all(path, toKoa(receiver))
  return listen(toListener(new Koa().use(router.routes())))
})
describeContract('Koa 2', (receiver) => listen(toListener(new Koa2().use(toKoa(receiver)))))

describeHandlerContract('supertest on Koa', async (receiver) =>
  throughSupertest(toListener(new Koa().use(toKoa(receiver)))),
)

function toListener(app: Pick<Koa, 'callback'>): RequestListener {
  const handle = app.callback()
  return (request, response) => void handle(request, response)
}
