import { accountEventContract, accountEventsContract, usageSchema } from '@feed-receiver/core/api'
import { z } from 'zod'
import { serviceAccountEvent } from '../state/account-event-schema.ts'
import { serviceEvent, serviceIncident, serviceTimelineItem } from '../state/service-event.ts'

const usage = z.object(usageSchema.shape)
const page = { nextCursor: z.string().nullable(), hasMore: z.boolean(), usage }

/** The objects of the API, by the names that its description gives them. */
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
    error: z.string().describe('What to do, for people. Do not branch on it.'),
    code: z.string().describe('What went wrong. Branch on it, or on the status.'),
  }),
}

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** What the API answers, as JSON Schema for the components of an OpenAPI document. */
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
// As for input: members that nobody knows may come with an answer of a later day.
const asItComes = { io: 'input', override } as const

/** An object as JSON Schema, as it comes: with what it may lack, and with members that nobody knows. */
export function objectSchema(schema: z.ZodType): JsonSchema {
  const described = withoutIdentity(z.toJSONSchema(schema, asItComes))
  return JSON.parse(JSON.stringify(described), toPortable)
}

/** A parameter as JSON Schema: what it means, and not the text that it comes as. */
export function parameterSchema(schema: z.ZodType): JsonSchema {
  return withoutIdentity(z.toJSONSchema(schema, { io: 'output', override }))
}

/** Keeps to what agents in any language, and the APIs of model providers, make of a schema. */
function toPortable(name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (name === 'additionalProperties' && Object.keys(value).length === 0) return true
  const { type, pattern, ...rest }: { type?: unknown; pattern?: unknown } = value
  if (Array.isArray(type)) return { ...rest, anyOf: type.map((one: unknown) => ({ type: one })) }
  // Outside of JavaScript few patterns know these.
  return String(pattern).includes('\\p{') ? { type, ...rest } : value
}

function withoutIdentity(schema: JsonSchema): JsonSchema {
  const { $schema: _dialect, $id: _id, ...rest } = schema
  return rest
}

/** Leaves out what zod says of every number and every time, and names what is a URI. */
function tidy(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.format === 'date-time') delete schema.pattern
  // Any scheme: in JSON Schema a pattern cannot leave the case open.
  if (!schema.pattern?.startsWith('^[a-z][a-z0-9+.-]*:')) return
  delete schema.pattern
  schema.format = 'uri'
}
