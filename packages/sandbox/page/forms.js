import { h } from './element.js'
import { attempt } from './notices.js'

let count = 0

/** A control under its label. */
export function field(label, control, hint) {
  count += 1
  control.id = `field-${count}`
  const hinted = hint && h('small', { id: `hint-${count}` }, hint)
  if (hinted) control.setAttribute('aria-describedby', hinted.id)
  return h('div', { class: 'field' }, h('label', { for: control.id }, label), control, hinted)
}

export function text(name, attributes = {}) {
  return h('input', { name, autocomplete: 'off', spellcheck: 'false', ...attributes })
}

/** Choices are texts, or pairs of a value and what to show for it. */
export function select(name, choices, value = '') {
  return h('select', { name }, options(choices, value))
}

export function options(choices, value = '') {
  return choices.map((choice) => {
    const [own, label] = Array.isArray(choice) ? choice : [choice, choice]
    return h('option', { value: own, selected: own === value }, label)
  })
}

export function checkbox(name, label, isChecked) {
  const control = h('input', { type: 'checkbox', name, checked: isChecked })
  return h('label', { class: 'check' }, control, label)
}

/** A form that does something with its values and is empty again where that succeeds. */
export function form(label, fields, submit, { isKept = false } = {}) {
  const button = h('button', { class: 'primary' }, label)
  const made = h('form', { class: 'form', autocomplete: 'off' }, fields, button)
  made.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.setAttribute('disabled', '')
    await attempt(async () => {
      await submit(Object.fromEntries(new FormData(made)))
      if (!isKept) made.reset()
    })
    button.removeAttribute('disabled')
  })
  return made
}

/** What was typed, or undefined for nothing. */
export function given(value) {
  return value === undefined || value.trim() === '' ? undefined : value.trim()
}

export function givenNumber(value) {
  return given(value) === undefined ? undefined : Number(value)
}

/** "a, b" as a list. */
export function givenList(value) {
  return (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
