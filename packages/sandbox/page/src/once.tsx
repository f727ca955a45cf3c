import { Copy, Dialog, publish, useTopic, type Topic } from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'

interface Secret {
  title: string
  text: string
  value: string
}

const secrets: Topic<Secret> = new Set()

/** Shows a secret or key, which cannot be shown again. */
export function showOnce(secret: Secret): void {
  publish(secrets, secret)
}

export function Once() {
  const [shown, setShown] = useState<Secret | null>(null)
  useTopic(secrets, setShown)
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
