import type { z } from 'zod'
import { eventRefPattern } from '@feed-receiver/core/api'
import { accountEventParameters } from '../account-events/account-event-query.ts'
import { eventParameters } from '../events/event-query.ts'
import { componentSchemas, parameterSchema, type SchemaName } from './api-schemas.ts'

/** The OpenAPI 3.1 description of the pull API (R139, R239). */
export function openApiDocument(baseUrl: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Source-linked feed of changes at AI providers',
      version: '1.0.0',
      description: 'Read-only. Served by a sandbox; every provider in it is made up.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'events', description: 'The complete feed, the same for every account.' },
      { name: 'account events', description: 'What only the account of the key may see.' },
    ],
    paths: {
      '/v1/events': read({
        operationId: 'listRadarEvents',
        tags: ['events'],
        summary: 'List events',
        description:
          'Without a cursor the newest come first, with one the oldest. Every answer has a cursor ' +
          'to go on from.',
        parameters: queryParameters(eventParameters),
        responses: responses('EventPage', 'A page of events.', ['400']),
      }),
      '/v1/account-events': read({
        operationId: 'listAccountEvents',
        tags: ['account events'],
        summary: 'List private events of the account',
        description: 'The newest come first, on every page.',
        parameters: queryParameters(accountEventParameters),
        responses: responses('AccountEventPage', 'A page of account events.', ['400', '404']),
      }),
      '/v1/account-events/{eventRef}': read({
        operationId: 'getAccountEvent',
        tags: ['account events'],
        summary: 'Read one private event of the account',
        parameters: [
          {
            name: 'eventRef',
            in: 'path',
            required: true,
            schema: { type: 'string', pattern: eventRefPattern.source },
          },
        ],
        responses: responses('AccountEventAnswer', 'The account event.', ['404']),
      }),
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: feed_live_…' },
      },
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, [schema, description]]) => [
          name,
          { description, schema },
        ]),
      ),
      schemas: componentSchemas(),
    },
  }
}

interface Operation {
  operationId: string
  summary: string
  tags: string[]
  description?: string
  parameters: unknown[]
  responses: Record<string, Described>
}

interface Described {
  description: string
  headers?: object
  content?: object
}

/** GET, and HEAD, which is answered alike but for the body, and is charged as well. */
function read(get: Operation) {
  const bare = Object.entries(get.responses).map(([status, { content: _content, ...rest }]) => [
    status,
    rest,
  ])
  const head = {
    ...get,
    operationId: `${get.operationId}Headers`,
    summary: `${get.summary}: the headers alone`,
    responses: Object.fromEntries(bare),
  }
  return { get, head }
}

function queryParameters(parameters: Record<string, z.ZodType>) {
  return Object.entries(parameters).map(([name, schema]) => {
    const { description, deprecated, ...rest } = parameterSchema(schema)
    return {
      name,
      in: 'query',
      required: false,
      description,
      ...(deprecated === true && { deprecated }),
      ...(rest.type === 'array' && { style: 'form', explode: true }),
      schema: rest,
    }
  })
}

type ErrorStatus = keyof typeof errors

function responses(
  schema: SchemaName,
  description: string,
  own: ErrorStatus[],
): Record<string, Described> {
  const ok = { description, headers: refer(limitHeaders), content: json(schema) }
  const refused = [...own, ...everywhere]
  return { '200': ok, ...Object.fromEntries(refused.map((status) => [status, refusal(status)])) }
}

/** What any request to any address may be answered. */
const everywhere: readonly ErrorStatus[] = ['401', '403', '405', '429', '500', '503']

function refusal(status: ErrorStatus): Described {
  const sent = errorHeaders[status]
  return {
    description: errors[status],
    ...(sent && { headers: refer(sent) }),
    content: json('Error'),
  }
}

function json(schema: SchemaName) {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } }
}

function refer(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const errors = {
  '400': 'A parameter or the cursor is not valid.',
  '401': 'The API key is missing, malformed, unknown or revoked.',
  '403': 'The account of the key has no active Pro access.',
  '404': 'Private account events are not enabled, or there is no such event.',
  '405': 'The address answers GET and HEAD alone.',
  '429': 'The allowance of the minute or of the month is used up.',
  '500': 'The service failed. Try again with growing pauses.',
  '503': 'The service is away for a moment. Try again with growing pauses.',
}

const count = { type: 'integer', minimum: 0 }
const time = { type: 'string', format: 'date-time' }

const headers: Record<string, [schema: Record<string, unknown>, description: string]> = {
  'X-RateLimit-Limit': [count, 'Requests in a month.'],
  'X-RateLimit-Remaining': [count, 'What is left of them.'],
  'X-RateLimit-Reset': [time, 'When the month is over.'],
  'X-RateLimit-Burst-Limit': [count, 'Requests in a minute.'],
  'X-RateLimit-Burst-Remaining': [count, 'What is left of them.'],
  'X-RateLimit-Burst-Reset': [time, 'When the minute is over.'],
  'X-RateLimit-Scope': [
    { type: 'string', enum: ['burst', 'usage_period'] },
    'Which of the two is used up.',
  ],
  'Retry-After': [{ type: 'integer', minimum: 1 }, 'Seconds to wait.'],
  Allow: [{ type: 'string' }, 'The methods that the address answers.'],
  'WWW-Authenticate': [{ type: 'string' }, 'How to authenticate.'],
}

const usageHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
const limitHeaders = [
  ...usageHeaders,
  'X-RateLimit-Burst-Limit',
  'X-RateLimit-Burst-Remaining',
  'X-RateLimit-Burst-Reset',
]
const errorHeaders: Partial<Record<ErrorStatus, readonly string[]>> = {
  '401': ['WWW-Authenticate'],
  '405': ['Allow'],
  '429': ['Retry-After', 'X-RateLimit-Scope', ...usageHeaders],
}
