import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useKeys } from './keys.ts'
import { Facts } from './lists.tsx'
import { useTask } from './live.tsx'
import { useModal } from './modal.ts'

export interface DialogProps {
  title: string
  onClose: () => void
  children: ComponentChildren
}

/** Shows a dialog above the page. Escape closes it, and the focus returns. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => element.current?.showModal(), [])
  useModal()
  const close = () => {
    // The event of a close comes later. By then, the next key may have opened another dialog.
    if (!element.current) return
    element.current.close()
    onClose()
  }
  return (
    <dialog ref={element} aria-labelledby={id} onCancel={close} onClose={close}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

/** Focuses the first control of a dialog whose form appears later than the dialog. */
export function useFirstFocus(isShown: boolean): void {
  useLayoutEffect(() => {
    if (isShown) document.querySelector<HTMLElement>(firstControl)?.focus()
  }, [isShown])
}

const firstControl = 'dialog .form :is(select, input, textarea)'

export interface AskFirstProps {
  /** The label of the button, and of the one that confirms. */
  label: string
  question: string
  look?: 'primary' | 'danger' | 'quiet' | ''
  /** The consequences of confirming. */
  children: ComponentChildren
  /** Runs the action. A returned sentence appears in a notice; an error is shown instead. */
  onYes: () => Promise<unknown>
}

/** A button that asks for confirmation before its action. */
export function AskFirst({ label, question, look = '', children, onYes }: AskFirstProps) {
  const [isAsking, setIsAsking] = useState(false)
  const { isBusy, problem, setProblem, run } = useTask()
  const close = () => {
    setIsAsking(false)
    setProblem('')
  }
  const go = async () => {
    const notice = await onYes()
    close()
    return notice
  }
  return (
    <>
      <button type="button" class={look} onClick={() => setIsAsking(true)}>
        {label}
      </button>
      {isAsking && (
        <Dialog title={question} onClose={close}>
          <p>{children}</p>
          <p class="problem" role="alert">
            {problem}
          </p>
          <div class="tools">
            <button onClick={close}>Cancel</button>
            <button
              class={look === 'danger' ? 'danger' : 'primary'}
              disabled={isBusy}
              onClick={() => void run(go)}
            >
              {label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

/** A button that lists the keys of the page, which `?` lists too. */
export function Keys({ keys }: { keys: readonly (readonly [key: string, does: string])[] }) {
  const [isShown, setIsShown] = useState(false)
  useKeys({ '?': () => setIsShown(true) })
  return (
    <>
      <button class="quiet" onClick={() => setIsShown(true)}>
        Keys
      </button>
      {isShown && (
        <Dialog title="Keys" onClose={() => setIsShown(false)}>
          <Facts look="lines" facts={keys.map(([key, does]) => [<kbd>{key}</kbd>, does])} />
          <form method="dialog" class="tools">
            <button class="primary">Close</button>
          </form>
        </Dialog>
      )}
    </>
  )
}
