import { Copy, Dialog, tell, useTopic, type Topic } from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'

interface Told {
  title: string
  text: string
  value: string
}

const told: Topic<Told> = new Set()

/** Shows a secret or key, which cannot be shown again. */
export function showOnce(secret: Told): void {
  tell(told, secret)
}

/** The dialog that shows it. */
export function Once() {
  const [shown, setShown] = useState<Told | null>(null)
  useTopic(told, setShown)
  if (!shown) return null
  const { title, text, value } = shown
  return (
    <Dialog title={title} onClose={() => setShown(null)}>
      <p>{text}</p>
      <input class="once" readOnly value={value} aria-label={title} />
      <form method="dialog" class="tools">
        <Copy label="Copy" doneLabel="Copied" text={() => value} />
        <button class="primary">Done</button>
      </form>
    </Dialog>
  )
}
