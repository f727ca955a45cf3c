import { h } from './element.js'

/** Says for a few seconds what was done; what failed stays until it is put away. */
export function notify(text, { isBad = false } = {}) {
  const place = document.getElementById('notices')
  const close = h('button', { class: 'quiet', onclick: () => notice.remove() }, 'Close')
  const notice = h('div', { class: isBad ? 'notice bad' : 'notice' }, h('span', {}, text), close)
  place?.append(notice)
  if (place && place.childElementCount > 3) place.firstElementChild?.remove()
  if (!isBad) setTimeout(() => notice.remove(), 6000)
}

/** Runs what somebody asked for, and says so where it fails. */
export async function attempt(run) {
  await tellFailure(run)
  document.dispatchEvent(new Event('changed'))
}

/** Runs what the page does by itself, and says so where it fails. */
export async function tellFailure(run) {
  try {
    await run()
  } catch (error) {
    notify(error instanceof Error ? error.message : String(error), { isBad: true })
  }
}

/** A button that cannot be pressed again while it works. */
export function action(label, run, attributes = {}) {
  const button = h('button', { type: 'button', 'data-key': label, ...attributes }, label)
  button.addEventListener('click', async () => {
    button.setAttribute('disabled', '')
    await attempt(run)
    button.removeAttribute('disabled')
  })
  return button
}
