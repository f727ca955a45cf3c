import { useLayoutEffect, useRef } from 'preact/hooks'
import { isModalOpen } from './modal.ts'

/** Handles keys, by name, unless the user types in a control or a dialog is open. */
export function useKeys(keys: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  const latest = useRef(keys)
  latest.current = keys
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const { target } = event
      if (isModalOpen()) return
      if (
        target instanceof Element &&
        target.closest('input, select, textarea, dialog, [contenteditable]')
      )
        return
      const key = latest.current[event.key]
      if (!key) return
      event.preventDefault()
      key(event)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

/** Moves the focus by so many rows, among rows with a link. */
export function step(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('.row-link')]
  const at = links.findIndex((link) => link === document.activeElement)
  links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus()
}
