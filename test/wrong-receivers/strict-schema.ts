import { createServer } from 'node:http'
import express from 'express'
import {
  bytesOf,
  path,
  rawBody,
  refusalOf,
  type MakeReceiver,
  type ReadEvent,
} from './right-steps.ts'

/** Fault: holds an event to a closed schema, and answers 422 where the service has moved on. */
export const strictSchema: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const refusal = refusalOf(request, secrets)
    if (refusal) return response.sendStatus(refusal)
    const event = parse(bytesOf(request))
    if (!event || !isValid(event)) return response.sendStatus(422)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}

type Data = ReadEvent['data'] & { subject?: object; benchmark?: { current?: object } }

function isValid({ data, ...envelope }: ReadEvent): boolean {
  const { subject = {}, benchmark, source_published_at, ...rest } = (data ?? {}) as Data
  const strings = [...Object.values(rest), ...Object.values(subject)]
  return (
    Object.keys(envelope).toSorted().join() === 'created_at,id,schema_version,type' &&
    typeof envelope.id === 'string' &&
    Object.keys(rest).length === 7 &&
    source_published_at !== undefined &&
    strings.every((each) => typeof each === 'string') &&
    Object.values(benchmark?.current ?? {}).every((each) => each !== Infinity) &&
    ['models', 'outages', 'benchmarks', 'other'].includes(String(rest.category))
  )
}

function parse(body: Buffer): ReadEvent | undefined {
  try {
    return JSON.parse(body.toString()) ?? undefined
  } catch {
    return undefined
  }
}
