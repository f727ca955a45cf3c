import { Check, Choose, Field, Form, given, spell, useLive } from '@feed-receiver/page-kit'
import type { Choice, Values } from '@feed-receiver/page-kit'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { ActionAnswer, ActionInput, ActionName } from '../../src/control/actions.ts'
import type { ActionField } from '../../src/control/describe-actions.ts'
import { call, readActions } from './api.ts'

/** How a screen shows a field, where that differs from the table of actions. */
export interface FieldOptions {
  label?: string
  placeholder?: string
  choices?: readonly Choice[]
  value?: string | number | boolean | readonly string[] | undefined
  /** Whether the field is hidden until the user asks for more. */
  isMore?: boolean
}

interface ActionFormProps<Name extends ActionName> {
  name: Name
  label: string
  /**
   * The fields in their order, which may depend on the values. Members of objects are written as
   * `rules.types`.
   */
  fields: Fields | ((values: Values) => Fields)
  /** Other members of the input. */
  also?: Partial<ActionInput<Name>> | undefined
  /** Whether the values stay after success. */
  isKept?: boolean
  /** Whether the first field gets the focus when it appears, as in a dialog. */
  isFocused?: boolean | undefined
  /** The label of the hidden fields. */
  more?: string
  /** Changes the input, for example by the values of other controls. */
  prepare?: (input: object, values: Values) => object
  /** May return a sentence for a notice. */
  onDone?: (answer: ActionAnswer<Name>) => string | void
  /** Other controls, below the fields. */
  children?: (values: Values) => ComponentChildren
}

type Fields = Readonly<Record<string, FieldOptions>>

/** The form of an action, with the fields and limits of the table of actions. */
export function ActionForm<Name extends ActionName>(props: ActionFormProps<Name>) {
  const {
    name,
    label,
    fields,
    also,
    isKept = false,
    isFocused = false,
    more,
    prepare,
    onDone,
  } = props
  const [values, setValues] = useState<Values>({})
  const shownFields = typeof fields === 'function' ? fields(values) : fields
  const actions = useLive('actions', readActions, 60_000).answer
  const isLoaded = actions !== null
  useLayoutEffect(() => {
    if (isFocused && isLoaded) document.querySelector<HTMLElement>(firstInDialog)?.focus()
  }, [isLoaded])
  // Without the table there is no form, and the screen shows the error.
  if (!actions) return null
  const described = flatten(actions.find((one) => one.name === name)?.fields ?? [])

  const shown = Object.entries(shownFields).flatMap(([path, options]) => {
    const field = described.find((one) => one.name === path)
    return field && applies(field, shownFields, values) ? [{ field, options }] : []
  })
  const show = (isShown: (one: ControlProps) => boolean) =>
    shown.filter(isShown).map((one) => <Control key={one.field.name} {...one} />)
  const submit = async (sent: Values) => {
    const input = toInput(shown, sent, also)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- described by the server, and checked there
    const answer = await call(name, (prepare?.(input, sent) ?? input) as ActionInput<Name>)
    return onDone?.(answer)
  }
  return (
    <Form label={label} isKept={isKept} onInput={setValues} submit={submit}>
      {show(({ field, options }) => field.kind !== 'flag' && !options.isMore)}
      <div class="checks wide">{show(({ field }) => field.kind === 'flag')}</div>
      {more !== undefined && (
        <details class="wide">
          <summary>{more}</summary>
          <div class="form">{show(({ options }) => options.isMore === true)}</div>
        </details>
      )}
      {props.children?.(values)}
    </Form>
  )
}

const firstInDialog = 'dialog .form :is(select, input, textarea)'

/** Flattens nested fields, named by their paths. */
function flatten(fields: ActionField[], prefix = ''): ActionField[] {
  return fields.flatMap((field) => {
    const name = prefix + field.name
    if (field.fields) return flatten(field.fields, `${name}.`)
    const { only } = field
    return [{ ...field, name, ...(only && { only: { ...only, field: prefix + only.field } }) }]
  })
}

function applies({ only }: ActionField, shownFields: Fields, values: Values): boolean {
  const by = only && shownFields[only.field]
  if (!by) return true
  const chosen = values[only.field] ?? by.value
  // If the chosen value is no longer offered, the browser shows the first choice.
  const isOffered = by.choices?.some(([value]) => value === chosen) ?? true
  const shown = isOffered ? chosen : by.choices?.[0]?.[0]
  return only.values.some((value) => String(value) === shown)
}

interface ControlProps {
  field: ActionField
  options: FieldOptions
}

function Control({ field, options }: ControlProps) {
  const { name, kind, required, minimum: min, maximum: max } = field
  const { label = field.label, placeholder, value = '' } = options
  if (kind === 'flag') return <Check label={label} name={name} defaultChecked={value === true} />
  const choices = options.choices ?? choicesOf(field)
  if (choices) return <Choose label={label} name={name} choices={choices} chosen={String(value)} />
  // Browsers require a literal hyphen to be escaped.
  const pattern = field.pattern?.replaceAll('-]', '\\-]')
  return (
    <Field
      label={label}
      name={name}
      required={required}
      placeholder={placeholder}
      defaultValue={typeof value === 'object' ? value.join(', ') : String(value)}
      {...(kind === 'number' ? { type: 'number', min, max } : { pattern })}
    />
  )
}

function choicesOf({ choices, suggestions, required }: ActionField): Choice[] | undefined {
  if (choices) return choices.map((choice) => [String(choice), spell(String(choice))])
  const any: Choice[] = required ? [] : [['', 'any']]
  return suggestions && [...any, ...suggestions.map((one): Choice => [String(one), String(one)])]
}

function toInput(shown: ControlProps[], sent: Values, also: object | undefined): object {
  const input: Record<string, unknown> = { ...also }
  for (const { field } of shown) {
    const [member = '', inner] = field.name.split('.')
    const value = valueOf(field, sent)
    input[member] =
      inner === undefined ? value : Object.assign({}, input[member], { [inner]: value })
  }
  return input
}

function valueOf({ name, kind, choices }: ActionField, sent: Values): unknown {
  const text = given(sent[name])
  if (kind === 'flag') return name in sent
  if (kind === 'list') return (text ?? '').split(',').flatMap((part) => given(part) ?? [])
  if (text !== undefined && kind === 'number') return Number(text)
  return choices?.find((choice) => String(choice) === text) ?? text
}
