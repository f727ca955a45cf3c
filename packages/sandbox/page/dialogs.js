import { h } from './element.js'

/** Asks before something is done that cannot be taken back. */
export function confirmThat({ title, text, label }) {
  return new Promise((resolve) => {
    const yes = h('button', { class: 'danger', value: 'yes' }, label)
    const no = h('button', { value: 'no', autofocus: true }, 'Cancel')
    open(title, [h('p', {}, text), h('div', { class: 'tools' }, no, yes)], (value) =>
      resolve(value === 'yes'),
    )
  })
}

/** Shows a secret or key, which nobody can show again. */
export function showOnce({ title, text, value }) {
  return new Promise((resolve) => {
    const shown = h('input', { readonly: true, class: 'once', value, 'aria-label': title })
    const copy = h('button', { type: 'button' }, 'Copy')
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(value)
      copy.textContent = 'Copied'
    })
    const done = h('button', { class: 'primary', value: 'done' }, 'Done')
    open(title, [h('p', {}, text), shown, h('div', { class: 'tools' }, copy, done)], resolve)
  })
}

function open(title, children, onClose) {
  const form = h('form', { method: 'dialog' }, h('h2', { id: 'dialog-title' }, title), children)
  const dialog = h('dialog', { 'aria-labelledby': 'dialog-title' }, form)
  dialog.addEventListener('close', () => {
    dialog.remove()
    onClose(dialog.returnValue)
  })
  document.body.append(dialog)
  dialog.showModal()
}
