import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Acts on keys, by their names, unless somebody writes or is asked something. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const { target } = event
      if (target instanceof Element && target.closest('input, select, textarea, dialog')) return
      const key = latest.current[event.key]
      if (!key) return
      event.preventDefault()
      key()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

/** Has j and k move the focus to the next and the previous row of the list that gets this ref. */
export function useSteps<List extends Element>(): RefObject<List | null> {
  const list = useRef<List | null>(null)
  const step = (by: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('.row-link') ?? [])]
    const at = links.findIndex((link) => link === document.activeElement)
    links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus()
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
  return list
}
