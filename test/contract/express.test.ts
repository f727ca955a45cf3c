import { toExpress } from '@feed-receiver/express'
import express, { type ErrorRequestHandler } from 'express'
import express4 from 'express-4'
import { describe, expect, it } from 'vitest'
import { makeEvent, path, setupSocket } from './harness.ts'
import { listen } from './listen.ts'
import { describeContract, describeHandlerContract } from './suite.ts'
import { throughSupertest } from './supertest.ts'

describeContract('Express 5', (receiver) => listen(express().all(path, toExpress(receiver))))
describeContract('Express 4', (receiver) => listen(express4().all(path, toExpress(receiver))))

describeHandlerContract('supertest on Express', async (receiver) =>
  throughSupertest(express().all(path, toExpress(receiver))),
)

describe.each([
  ['Express 5', express],
  ['Express 4', express4],
])('the adapter of %s', (_, createApp) => {
  it('writes nothing if other code, such as a timeout, has already responded', async () => {
    const errors: unknown[] = []
    const { deliver, observations } = await setupSocket((receiver) => {
      const app = createApp()
      app.use((_request, response, next) => {
        response.sendStatus(504)
        next()
      })
      app.all(path, toExpress(receiver))
      app.use(((error, _request, _response, next) => {
        errors.push(error)
        next()
      }) satisfies ErrorRequestHandler)
      return listen(app)
    })
    expect((await deliver(makeEvent())).status).toBe(504)
    await expect.poll(() => observations.length).toBe(1)
    expect(errors).toEqual([])
  })
})
