import { useState } from 'preact/hooks'
import { isModalOpen } from './modal.ts'
import { notify } from './notices.tsx'

interface CopyProps {
  label: string
  /** The label after copying, instead of a notice. */
  doneLabel?: string
  text: () => string
}

/** A button that copies a text, and confirms it. */
export function Copy({ label, doneLabel, text }: CopyProps) {
  const [isDone, setIsDone] = useState(false)
  const [problem, setProblem] = useState('')
  const copy = async () => {
    const isCopied = await copyText(text())
    // A notice would wait until the dialog around the button has closed.
    if (isModalOpen()) setProblem(isCopied ? '' : notCopied)
    else if (!isCopied || doneLabel === undefined) notify(isCopied ? 'Copied.' : notCopied)
    setIsDone(isCopied && doneLabel !== undefined)
  }
  return (
    <>
      <span class="problem" role="alert">
        {problem}
      </span>
      <button type="button" onClick={() => void copy()}>
        {isDone ? doneLabel : label}
      </button>
    </>
  )
}

const notCopied = 'The browser does not let this page copy. Select the text and copy it.'

async function copyText(text: string): Promise<boolean> {
  // Browsers offer no clipboard to pages without TLS that are not on localhost.
  if (!isSecureContext) return copyBySelection(text)
  return await navigator.clipboard.writeText(text).then(
    () => true,
    () => copyBySelection(text),
  )
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
