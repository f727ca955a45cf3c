import { createServer } from 'node:http'
import express from 'express'
import { path, type MakeReceiver } from './right-steps.ts'

/** Fault: has moved, and sends the service after it; the service does not follow. */
export const redirects: MakeReceiver = () => {
  const app = express()
  app.post(path, (_request, response) => {
    response.redirect(308, path + '/')
  })
  return createServer(app)
}
