import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'

export interface AskFirstProps {
  /** On the button, and on the one that says yes. */
  label: string
  question: string
  isPrimary?: boolean
  /** What it means to say yes. */
  children: ComponentChildren
  /** Does it; what it throws is shown, and nothing else happens. */
  onYes: () => Promise<void>
}

/** A button that asks once before it does something. */
export function AskFirst({ label, question, isPrimary = false, children, onYes }: AskFirstProps) {
  const [isAsking, setIsAsking] = useState(false)
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const close = () => {
    setIsAsking(false)
    setProblem('')
  }
  const go = async () => {
    setIsBusy(true)
    await onYes().then(close, (error: Error) => setProblem(error.message))
    setIsBusy(false)
  }
  return (
    <>
      <button class={isPrimary ? 'primary' : ''} onClick={() => setIsAsking(true)}>
        {label}
      </button>
      {isAsking && (
        <Dialog title={question} onClose={close}>
          <p>{children}</p>
          <p class="problem" role="alert">
            {problem}
          </p>
          <div class="buttons">
            <button onClick={close}>Cancel</button>
            <button class="primary" disabled={isBusy} onClick={() => void go()}>
              {label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
