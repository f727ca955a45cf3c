import type { z } from 'zod'
import { eventRefPattern } from '@feed-receiver/client/api'
import { accountEventParameters } from '../account-events/account-event-routes.ts'
import { eventParameters } from '../events/events-route.ts'
import { componentSchemas, parameterSchema } from './api-schemas.ts'
import described from './openapi.json' with { type: 'json' }

const { responses, ...components } = described.components
const errors = new Map<string, { content?: unknown }>(Object.entries(responses))

/**
 * The OpenAPI 3.1 description of the pull API (R139, R239): the file, completed with the schemas by
 * which the routes validate.
 */
export function openApiDocument(baseUrl: string) {
  const { paths } = described
  const eventRef = { type: 'string', pattern: eventRefPattern.source }
  return {
    ...described,
    servers: [{ url: baseUrl }],
    paths: {
      '/v1/events': read(paths['/v1/events'], queryParameters(eventParameters)),
      '/v1/account-events': read(
        paths['/v1/account-events'],
        queryParameters(accountEventParameters),
      ),
      '/v1/account-events/{eventRef}': read(paths['/v1/account-events/{eventRef}'], [
        { name: 'eventRef', in: 'path', required: true, schema: eventRef },
      ]),
    },
    components: { ...components, schemas: componentSchemas() },
  }
}

interface Described {
  get: { operationId: string; summary: string; responses: object }
}

/** GET, and HEAD, which gives the same response without the body and is charged too. */
function read({ get }: Described, parameters: unknown[]) {
  const answers = Object.entries<{ content?: unknown }>({ ...get.responses }).map(
    // Inlined, because some readers do not resolve references.
    ([status, answer]) => [status, errors.get(status) ?? answer] as const,
  )
  const bare = answers.map(([status, { content: _content, ...rest }]) => [status, rest])
  return {
    get: { ...get, parameters, responses: Object.fromEntries(answers) },
    head: {
      ...get,
      operationId: `${get.operationId}Headers`,
      summary: `${get.summary} (headers only)`,
      parameters,
      responses: Object.fromEntries(bare),
    },
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
