import { toExpress } from '@feed-receiver/express'
import express from 'express'
import { describeContract } from './suite.ts'
import { listen } from './listen.ts'
import { path } from './harness.ts'

describeContract('Express 5', (receiver) => {
  const app = express()
  app.all(path, toExpress(receiver))
  return listen(app)
})
