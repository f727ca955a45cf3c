import { eventRefPattern } from '@feed-receiver/client/internal'
import type { z } from 'zod'
import { accountEventParameters } from '../account-events/account-event-routes.ts'
import { eventParameters } from '../events/events-route.ts'
import { componentSchemas, parameterSchema } from './api-schemas.ts'

/** The OpenAPI 3.1 description of the pull API, with the schemas by which the routes validate. */
export function openApiDocument(baseUrl: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Source-linked feed of changes at AI providers',
      version: '1.0.0',
      description: 'Read-only. Served by a sandbox whose providers are invented.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'events', description: 'The complete feed, the same for every account.' },
      {
        name: 'account events',
        description: 'Private events, visible only to the account of the key.',
      },
    ],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: feed_live_…' },
      },
      schemas: componentSchemas(),
    },
  }
}

const count = { type: 'integer', minimum: 0 }
const time = { type: 'string', format: 'date-time' }
const text = { type: 'string' }

const usageHeaders = {
  'X-RateLimit-Limit': header('The number of requests allowed in a month.', count),
  'X-RateLimit-Remaining': header('The requests left in the month.', count),
  'X-RateLimit-Reset': header('The time when the month ends.', time),
}

const limitHeaders = {
  ...usageHeaders,
  'X-RateLimit-Burst-Limit': header('The number of requests allowed in a minute.', count),
  'X-RateLimit-Burst-Remaining': header('The requests left in the minute.', count),
  'X-RateLimit-Burst-Reset': header('The time when the minute ends.', time),
}

const retryHeaders = {
  ...usageHeaders,
  'X-RateLimit-Scope': header(
    'The limit that is used up: of the minute (burst) or of the month (usage_period).',
    { type: 'string', enum: ['burst', 'usage_period'] },
  ),
  'Retry-After': header('The seconds to wait before the next request.', {
    type: 'integer',
    minimum: 1,
  }),
}

const allow = { Allow: header('The methods that the address accepts.', text) }
const challenge = { 'WWW-Authenticate': header('How to authenticate.', text) }

function header(description: string, schema: object) {
  return { description, schema }
}

/**
 * The errors of every read. These and all headers are inlined, because some readers do not resolve
 * references.
 */
const commonErrors = {
  401: errorResponse('The API key is missing, malformed, unknown or revoked.', challenge),
  403: errorResponse('The account of the key has no active Pro access.'),
  405: errorResponse('The address accepts only GET and HEAD.', allow),
  429: errorResponse('The allowance of the minute or of the month is used up.', retryHeaders),
  500: errorResponse('The service failed. Retry with exponential backoff.'),
  503: errorResponse('The service is temporarily unavailable. Retry with exponential backoff.'),
}

const badRequest = { 400: errorResponse('A parameter or the cursor is not valid.') }
const notFound = {
  404: errorResponse('Private account events are not enabled, or no event has this reference.'),
}

const paths = {
  '/v1/events': getAndHead(
    {
      operationId: 'listRadarEvents',
      tags: ['events'],
      summary: 'List events',
      description:
        'Without a cursor, the newest events come first. With a cursor, the oldest come first. Every ' +
        'response has a cursor to continue from.',
      parameters: queryParameters(eventParameters),
    },
    { 200: response('A page of events.', 'EventPage', limitHeaders), ...badRequest },
  ),
  '/v1/account-events': getAndHead(
    {
      operationId: 'listAccountEvents',
      tags: ['account events'],
      summary: 'List private events of the account',
      description: 'The newest events come first, on every page.',
      parameters: queryParameters(accountEventParameters),
    },
    {
      200: response('A page of account events.', 'AccountEventPage', limitHeaders),
      ...badRequest,
      ...notFound,
    },
  ),
  '/v1/account-events/{eventRef}': getAndHead(
    {
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
    },
    { 200: response('The account event.', 'AccountEventAnswer', limitHeaders), ...notFound },
  ),
}

/** GET, and HEAD, which gives the same response without the body and is charged too. */
function getAndHead<Operation extends { operationId: string; summary: string }>(
  operation: Operation,
  own: Record<number, Response>,
) {
  const responses = { ...own, ...commonErrors }
  const bare = Object.entries(responses).map(([status, { content: _content, ...rest }]) => [
    status,
    rest,
  ])
  return {
    get: { ...operation, responses },
    head: {
      ...operation,
      operationId: `${operation.operationId}Headers`,
      summary: `${operation.summary} (headers only)`,
      responses: Object.fromEntries(bare),
    },
  }
}

interface Response {
  description: string
  headers?: object
  content: object
}

function errorResponse(description: string, headers?: object): Response {
  return response(description, 'Error', headers)
}

function response(description: string, schema: string, headers?: object): Response {
  return {
    description,
    ...(headers && { headers }),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  }
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
