import { z } from 'zod'
import type { Action } from '../server/action.ts'
import { actions } from './actions.ts'
import { addressOf } from './address.ts'

/** An action as the control page reads it, to build a form from it. */
export type DescribedAction = ReturnType<typeof describeActions>[number]

export interface ActionField {
  name: string
  label: string
  description?: string | undefined
  kind: 'text' | 'time' | 'number' | 'flag' | 'choice' | 'list' | 'object'
  required: boolean
  choices?: (string | number)[] | undefined
  /** Some of the possible values of a text. */
  suggestions?: unknown[] | undefined
  default?: unknown
  pattern?: string | undefined
  minimum?: number | undefined
  maximum?: number | undefined
  fields?: ActionField[]
  /** The field applies only if another one has one of these values. */
  only?: { field: string; values: (string | number)[] }
}

export function describeActions() {
  return Object.entries<Action>(actions).map(([name, { input, description }]) => {
    const fields = fieldsOf(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }))
    return { name, ...addressOf(name), title: labelOf(name), description, fields }
  })
}

type Schema = z.core.JSONSchema.BaseSchema

/** The members of an object, or of all objects of a union. */
function fieldsOf(schema: Schema): ActionField[] {
  const variants = variantsOf(schema)
  const names = new Set(variants.flatMap(({ properties = {} }) => Object.keys(properties)))
  const [first = ''] = names
  return [...names].map((name) => {
    const having = variants.filter(({ properties }) => properties?.[name] !== undefined)
    const members = having.map(({ properties }) => asSchema(properties?.[name]))
    const values = having.flatMap(({ properties }) => valuesOf(asSchema(properties?.[first])))
    return {
      ...fieldOf(name, members),
      required: having.every(({ required = [] }) => required.includes(name)),
      ...(having.length < variants.length && { only: { field: first, values } }),
    }
  })
}

function fieldOf(name: string, members: Schema[]): Omit<ActionField, 'required'> {
  const [schema = {}] = members.flatMap(variantsOf)
  const choices = members.flatMap(variantsOf).flatMap(valuesOf)
  const kind = choices.length > 0 ? 'choice' : kindOf(schema)
  return {
    name,
    label: members[0]?.title ?? labelOf(name),
    kind,
    description: members[0]?.description,
    default: members[0]?.default,
    ...(kind === 'choice' && { choices: [...new Set(choices)] }),
    ...(kind === 'object' && { fields: fieldsOf({ anyOf: members }) }),
    ...(kind === 'number' && { minimum: schema.minimum, maximum: schema.maximum }),
    ...(kind === 'text' && { pattern: schema.pattern, suggestions: members[0]?.examples }),
  }
}

/** The objects of a union, without null. */
function variantsOf(schema: Schema): Schema[] {
  const open = schema.anyOf ?? schema.oneOf
  if (!open) return [schema]
  return open
    .map(asSchema)
    .filter(({ type }) => type !== 'null')
    .flatMap(variantsOf)
}

function valuesOf({ const: only, enum: some }: Schema): (string | number)[] {
  return [only, ...(some ?? [])].filter(
    (value) => typeof value === 'string' || typeof value === 'number',
  )
}

function kindOf({ type, format }: Schema): ActionField['kind'] {
  if (format === 'date-time') return 'time'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'flag'
  if (type === 'array') return 'list'
  return type === 'object' ? 'object' : 'text'
}

function asSchema(schema: Schema | boolean | undefined): Schema {
  return typeof schema === 'object' ? schema : {}
}

/** Turns `usageLimit` into "Usage limit". */
function labelOf(name: string): string {
  const words = name.replaceAll(/(?=[A-Z])/g, ' ').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
