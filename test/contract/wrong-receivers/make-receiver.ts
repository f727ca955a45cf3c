import { createServer, type Server } from 'node:http'
import express, { type Request, type Response } from 'express'
import { isMislabelled, rightSteps, type ReceiverOptions, type Steps } from './right-steps.ts'

/** Returns the steps that differ from those of a right receiver. */
export type Change = (right: Steps, options: ReceiverOptions) => Partial<Steps>

export const path = '/webhooks/feed'

/** Creates a receiver that is right except for the change. */
export function makeReceiver(options: ReceiverOptions, change: Change = () => ({})): Server {
  const right = rightSteps(options)
  const steps = { ...right, ...change(right, options) }
  const app = express()
  app.post(path, steps.parser, async (request, response) => {
    response.sendStatus(await receive(request, response, steps))
  })
  const server = createServer(app)
  steps.onServer(server)
  return server
}

async function receive(request: Request, response: Response, steps: Steps): Promise<number> {
  const early = await steps.guard(request, response)
  if (early !== undefined) return early
  const bytes = steps.bytesOf(request)
  const rejection = steps.reject(verify(request, bytes, steps), request)
  if (rejection !== undefined) return rejection
  const event = steps.readEvent(bytes, request)
  if (!event) return await steps.unreadable(bytes)
  if (isMislabelled(request, event)) return steps.mislabelledStatus
  return await steps.keep(event, bytes)
}

/** The status for a forged or late delivery; undefined for any other. */
function verify(request: Request, bytes: Buffer, steps: Steps): number | undefined {
  const signature = steps.readSignature(request.get('feed-signature'))
  if (!signature) return 401
  if (!steps.isSigned(signature, steps.signedBytes(bytes), steps.secrets)) return 401
  return steps.isInTime(signature) ? undefined : steps.lateStatus
}
