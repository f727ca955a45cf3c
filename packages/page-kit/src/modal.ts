import { useEffect } from 'preact/hooks'
import { publish, type Topic } from './topic.ts'

/** Notifies when the last open dialog has closed. */
export const modalClosed: Topic<void> = new Set()

/** Whether a dialog is open. The page behind it can be neither used nor heard. */
export function isModalOpen(): boolean {
  // Reads the page, because Escape closes a dialog before its component is gone.
  return document.querySelector('dialog[open]') !== null
}

let shown = 0

/** Counts the component as a dialog while it is shown. */
export function useModal(): void {
  useEffect(() => {
    shown += 1
    return () => {
      shown -= 1
      if (shown === 0) publish(modalClosed, undefined)
    }
  }, [])
}
