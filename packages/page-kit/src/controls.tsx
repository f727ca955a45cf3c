import { Fragment } from 'preact'
import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes } from 'preact'
import { useId, useState } from 'preact/hooks'
import { tryTo } from './notices.tsx'
import { useTask } from './live.tsx'
import { changeRoute } from './route.ts'

export type Choice = readonly [value: string, label: ComponentChildren]

interface ActionProps {
  label: string
  look?: 'primary' | 'quiet' | ''
  /** The target of the action, if others on the screen have the same label. */
  of?: string
  /** Runs the action. A returned sentence appears in a notice. */
  run: () => Promise<unknown>
}

/** A button that runs an action, once at a time. A notice reports failures. */
export function Action({ label, look = '', of = location.hash, run }: ActionProps) {
  const task = useTask()
  const go = () => tryTo(`${label} ${of}`, run)
  return (
    <button type="button" class={look} disabled={task.isBusy} onClick={() => void task.run(go)}>
      {label}
    </button>
  )
}

interface SegmentsProps {
  label: string
  choices: readonly Choice[]
  value: string
  onChoose: (value: string) => void
}

/** A few choices side by side, one of which is selected. */
export function Segments({ label, choices, value, onChoose }: SegmentsProps) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {choices.map(([own, shown]) => (
        <button key={own} type="button" aria-pressed={own === value} onClick={() => onChoose(own)}>
          {shown}
        </button>
      ))}
    </div>
  )
}

/** Segments whose choice is stored in the link, under this name. */
export function Views({ name, ...segments }: Omit<SegmentsProps, 'onChoose'> & { name: string }) {
  return <Segments {...segments} onChoose={(chosen) => changeRoute({ [name]: chosen })} />
}

type SelectProps = SelectHTMLAttributes & {
  choices: readonly Choice[]
  /** The initial choice, applied again whenever it changes. */
  chosen?: string | undefined
  onChoose?: (value: string) => void
}

export function Select({ choices, chosen = '', onChoose, ...others }: SelectProps) {
  return (
    <select {...others} onChange={({ currentTarget }) => onChoose?.(currentTarget.value)}>
      {choices.map(([value, label]) => (
        <option key={value} value={value} selected={value === chosen}>
          {label}
        </option>
      ))}
    </select>
  )
}

type FieldProps = InputHTMLAttributes & {
  label: string
  hint?: string | undefined
  /** Renders another control than a text input, with this id. */
  control?: (id: string) => ComponentChildren
}

export function Field({ label, hint, control, ...input }: FieldProps) {
  const id = useId()
  const hintId = hint === undefined ? undefined : `${id}-hint`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control?.(id) ?? (
        <input autocomplete="off" spellcheck={false} {...input} id={id} aria-describedby={hintId} />
      )}
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  )
}

export function Choose({ label, ...select }: SelectProps & { label: string }) {
  return <Field label={label} control={(id) => <Select {...select} id={id} />} />
}

type CheckProps = Pick<InputHTMLAttributes, 'name' | 'defaultChecked' | 'onChange'> & {
  label: ComponentChildren
}

export function Check({ label, ...input }: CheckProps) {
  return (
    <label class="check">
      <input {...input} type="checkbox" /> {label}
    </label>
  )
}

/** The values of a form's controls, by name. An unchecked box has none. */
export type Values = Readonly<Record<string, string>>

interface FormProps {
  /** The label of its button. */
  label: string
  /** Whether the controls keep their values after success. */
  isKept?: boolean
  children: ComponentChildren
  onInput?: (values: Values) => void
  submit: (values: Values) => Promise<unknown>
}

/** Controls, and a button that submits their values. Errors appear below. */
export function Form({ label, isKept = false, children, onInput, submit }: FormProps) {
  const { isBusy, problem, run } = useTask()
  const [round, setRound] = useState(0)
  const send = async (values: Values) => {
    const notice = await submit(values)
    // New controls, with their initial values.
    if (!isKept) setRound(round + 1)
    return notice
  }
  return (
    <form
      class="form"
      autocomplete="off"
      onInput={({ currentTarget }) => onInput?.(readValues(currentTarget))}
      onKeyDown={(event) => {
        // Browsers do so in text fields only.
        if (event.key !== 'Enter' || !(event.target instanceof HTMLSelectElement)) return
        event.preventDefault()
        event.currentTarget.requestSubmit()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        void run(() => send(readValues(event.currentTarget)))
      }}
    >
      <Fragment key={round}>{children}</Fragment>
      <p class="problem wide" role="alert">
        {problem}
      </p>
      <button class="primary" disabled={isBusy}>
        {label}
      </button>
    </form>
  )
}

function readValues(form: HTMLFormElement): Values {
  const entries = [...new FormData(form)]
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/** The text, or undefined if it is empty. */
export function given(value: string | undefined): string | undefined {
  return value?.trim() || undefined
}

/** The number, or undefined if the text is empty. */
export function toNumber(value: string | undefined): number | undefined {
  const text = given(value)
  return text === undefined ? undefined : Number(text)
}
