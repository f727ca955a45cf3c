/**
 * Makes an element. Texts become text nodes and never markup, so that nothing in an event can run.
 * `on…` adds a handler, null, undefined and false leave an attribute or child out.
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.flat(2).filter(isShown).map(toNode))
  return element
}

/** Puts children in place of others, and leaves the focus on what has the same `data-key`. */
export function replace(place, ...children) {
  const focused = document.activeElement
  const key = focused instanceof HTMLElement && place.contains(focused) && focused.dataset.key
  place.replaceChildren(...children.flat(2).filter(isShown).map(toNode))
  if (key) place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus()
}

/** A link to what an event names: only of the web, and without a way back. */
export function foreignLink(text) {
  const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  return isWeb
    ? h('a', { href: text, rel: 'noreferrer noopener', target: '_blank' }, text)
    : h('span', {}, text)
}

function isShown(child) {
  return child !== undefined && child !== null && child !== false
}

function toNode(child) {
  return child instanceof Node ? child : document.createTextNode(String(child))
}
