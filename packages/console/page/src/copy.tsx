import { notify } from './notices.tsx'

/** A button that copies a text, and says so. */
export function Copy({ label, text }: { label: string; text: () => string }) {
  const copy = async () => {
    const isCopied = await copyText(text())
    notify(isCopied ? 'Copied.' : 'The browser does not let this page copy. Mark the text instead.')
  }
  return <button onClick={() => void copy()}>{label}</button>
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
