import {
  accountEventContract,
  accountEventsContract,
  usageSchema,
} from '@feed-receiver/client/internal'
import { z } from 'zod'
import { serviceAccountEvent } from '../state/service-account-event.ts'
import { dateTimePattern } from '../state/fields.ts'
import { serviceEvent, serviceIncident, serviceTimelineItem } from '../state/service-event.ts'

const usage = z.object(usageSchema.shape)
const page = { nextCursor: z.string().nullable(), hasMore: z.boolean(), usage }

/** The objects of the API, by their names in its OpenAPI description. */
const named: Record<string, z.ZodType> = {
  Event: serviceEvent,
  Incident: serviceIncident,
  TimelineItem: serviceTimelineItem,
  Usage: usage,
  AccountEvent: serviceAccountEvent,
  EventPage: z.object({ data: z.array(serviceEvent), ...page }),
  AccountEventPage: z.object({
    contractVersion: z.literal(accountEventsContract),
    data: z.array(serviceAccountEvent),
    ...page,
  }),
  AccountEventAnswer: z.object({
    contractVersion: z.literal(accountEventContract),
    event: serviceAccountEvent,
    usage,
  }),
  Error: z.object({
    error: z.string().describe('What to do, in words for people. Do not branch on it.'),
    code: z.string().describe('What went wrong. Branch on it, or on the status.'),
  }),
}

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** The responses of the API, as JSON Schema for the components of an OpenAPI document. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    ...asItComes,
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, withoutIdentity(schema)]),
  )
}

const override = ({ jsonSchema }: { jsonSchema: JsonSchema }) => tidy(jsonSchema)
// As for input, because responses may get more members in the future.
const asItComes = { io: 'input', override } as const

/** An object of the API as JSON Schema, which allows missing and unknown members. */
export function objectSchema(schema: z.ZodType): JsonSchema {
  const described = withoutIdentity(z.toJSONSchema(schema, asItComes))
  return JSON.parse(JSON.stringify(described), toPortable)
}

/** A parameter as JSON Schema of its parsed value, not of its text. */
export function parameterSchema(schema: z.ZodType): JsonSchema {
  const { format, ...rest } = withoutIdentity(z.toJSONSchema(schema, { io: 'output', override }))
  if (format === undefined) return rest
  return { ...rest, format, ...(format === 'date-time' && { pattern: dateTimePattern }) }
}

/**
 * Uses only the JSON Schema that agents in any language and the APIs of model providers support.
 */
function toPortable(name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (name === 'additionalProperties' && Object.keys(value).length === 0) return true
  const { type, pattern, ...rest }: { type?: unknown; pattern?: unknown } = value
  if (Array.isArray(type)) return { ...rest, anyOf: type.map((one: unknown) => ({ type: one })) }
  // Few regular expressions outside JavaScript support these classes.
  return String(pattern).includes('\\p{') ? { type, ...rest } : value
}

function withoutIdentity(schema: JsonSchema): JsonSchema {
  const { $schema: _dialect, $id: _id, ...rest } = schema
  return rest
}

/** Removes redundant limits and patterns that zod adds to numbers and times, and marks URIs. */
function tidy(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.format === 'date-time') delete schema.pattern
  // Any scheme: in JSON Schema a pattern cannot ignore case.
  if (!schema.pattern?.startsWith('^[a-z][a-z0-9+.-]*:')) return
  delete schema.pattern
  schema.format = 'uri'
}
