import { Fragment } from 'preact'
import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes } from 'preact'
import { useId, useState } from 'preact/hooks'
import { tryTo } from './notices.tsx'
import { useTask } from './live.tsx'
import { changeRoute } from './route.ts'

/** A value, and what to show for it. */
export type Choice = readonly [value: string, label: ComponentChildren]

interface ActionProps {
  label: string
  look?: 'primary' | 'quiet' | ''
  /** What it is done to, where others on the screen have the same label. */
  of?: string
  /** Does it; a sentence that it gives is said in a notice. */
  run: () => Promise<unknown>
}

/** A button that does something, once at a time; a notice says what failed. */
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

/** A few choices beside each other, one of which holds. */
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

/** Segments whose choice is in the link, under this name. */
export function Views({ name, ...segments }: Omit<SegmentsProps, 'onChoose'> & { name: string }) {
  return <Segments {...segments} onChoose={(chosen) => changeRoute({ [name]: chosen })} />
}

type SelectProps = SelectHTMLAttributes & {
  choices: readonly Choice[]
  /** What is chosen at first, and again whenever this changes. */
  chosen?: string | undefined
  onChoose?: (value: string) => void
}

/** A list of choices, one of which holds. */
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
  /** Makes another control than a line of text, under this id. */
  control?: (id: string) => ComponentChildren
}

/** A control under its label. */
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

/** A choice under its label. */
export function Choose({ label, ...select }: SelectProps & { label: string }) {
  return <Field label={label} control={(id) => <Select {...select} id={id} />} />
}

type CheckProps = Pick<InputHTMLAttributes, 'name' | 'defaultChecked' | 'onChange'> & {
  label: ComponentChildren
}

/** A box to check beside its label. */
export function Check({ label, ...input }: CheckProps) {
  return (
    <label class="check">
      <input {...input} type="checkbox" /> {label}
    </label>
  )
}

/** What the controls of a form say, by their names; a box that is not checked says nothing. */
export type Values = Readonly<Record<string, string>>

interface FormProps {
  /** On its button. */
  label: string
  /** Whether what was written stays when it has succeeded. */
  isKept?: boolean
  children: ComponentChildren
  onInput?: (values: Values) => void
  submit: (values: Values) => Promise<unknown>
}

/** Controls, and a button that does something with their values; what fails is said below. */
export function Form({ label, isKept = false, children, onInput, submit }: FormProps) {
  const { isBusy, problem, run } = useTask()
  const [round, setRound] = useState(0)
  const send = async (values: Values) => {
    const said = await submit(values)
    // New controls, with what they hold at first.
    if (!isKept) setRound(round + 1)
    return said
  }
  return (
    <form
      class="form"
      autocomplete="off"
      onInput={({ currentTarget }) => onInput?.(readValues(currentTarget))}
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

/** What was written, or undefined for nothing. */
export function given(value: string | undefined): string | undefined {
  return value?.trim() || undefined
}
