import { useState } from 'preact/hooks'
import { notify } from './notices.tsx'

interface CopyProps {
  label: string
  /** What the button says once it has copied, instead of a notice. */
  doneLabel?: string
  text: () => string
}

/** A button that copies a text, and says so. */
export function Copy({ label, doneLabel, text }: CopyProps) {
  const [isDone, setIsDone] = useState(false)
  const copy = async () => {
    const isCopied = await copyText(text())
    if (isCopied && doneLabel !== undefined) return setIsDone(true)
    notify(isCopied ? 'Copied.' : 'The browser does not let this page copy. Mark the text instead.')
  }
  return (
    <button type="button" onClick={() => void copy()}>
      {isDone ? doneLabel : label}
    </button>
  )
}

async function copyText(text: string): Promise<boolean> {
  // Browsers give no clipboard to pages without TLS that are not on this machine.
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
