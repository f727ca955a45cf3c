import { useEffect, useState } from 'preact/hooks'

const name = 'feed-notice'
const shownMs = 6_000

/** Says in one sentence what has been done. */
export function notify(text: string): void {
  dispatchEvent(new CustomEvent(name, { detail: text }))
}

/** Shows what was said last, for a while, and has it read out. */
export function Notices() {
  const [text, setText] = useState('')
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (event: Event) => {
      setText(event instanceof CustomEvent ? String(event.detail) : '')
      clearTimeout(timer)
      timer = setTimeout(() => setText(''), shownMs)
    }
    addEventListener(name, show)
    return () => removeEventListener(name, show)
  }, [])
  return (
    <div class="notices" role="status">
      {text !== '' && <p class="notice">{text}</p>}
    </div>
  )
}
