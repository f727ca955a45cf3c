import { useEffect } from 'preact/hooks'
import { tell, type Topic } from './topic.ts'

/** Is told when the last open dialog has closed. */
export const modalClosed: Topic<void> = new Set()

/** Whether a dialog is open: what is behind it can be neither used nor heard. */
export function isModalOpen(): boolean {
  // Asked of the page, because Escape closes a dialog before its component is gone.
  return document.querySelector('dialog[open]') !== null
}

let shown = 0

/** Counts the component as a dialog for as long as it is shown. */
export function useModal(): void {
  useEffect(() => {
    shown += 1
    return () => {
      shown -= 1
      if (shown === 0) tell(modalClosed, undefined)
    }
  }, [])
}
