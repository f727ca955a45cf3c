import { toExpress } from '@feed-receiver/express'
import express from 'express'
import express4 from 'express-4'
import { path } from './harness.ts'
import { listen } from './listen.ts'
import { describeContract, describeHandlerContract } from './suite.ts'
import { throughSupertest } from './supertest.ts'

describeContract('Express 5', (receiver) => listen(express().all(path, toExpress(receiver))))
describeContract('Express 4', (receiver) => listen(express4().all(path, toExpress(receiver))))

describeHandlerContract('supertest on Express', async (receiver) =>
  throughSupertest(express().all(path, toExpress(receiver))),
)
