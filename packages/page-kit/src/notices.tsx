import { useState } from 'preact/hooks'
import { tell, useTopic, type Topic } from './topic.ts'

const shownMs = 6_000
const mostShown = 3

interface Notice {
  text: string
  isBad: boolean
}

const notices: Topic<Notice> = new Set()

/** Says in one sentence what has been done, for a while; what failed stays until it is closed. */
export function notify(text: string, { isBad = false } = {}): void {
  tell(notices, { text, isBad })
}

/** Shows the latest notices, and has them read out. */
export function Notices() {
  const [shown, setShown] = useState<Notice[]>([])
  const close = (notice: Notice) => setShown((before) => before.filter((one) => one !== notice))
  useTopic(notices, (notice) => {
    setShown((before) =>
      [...before.filter(({ text }) => text !== notice.text), notice].slice(-mostShown),
    )
    if (!notice.isBad) setTimeout(() => close(notice), shownMs)
  })
  return (
    <div class="notices" role="status">
      {shown.map((notice) => (
        <div key={notice.text} class={`notice ${notice.isBad ? 'bad' : ''}`}>
          <span>{notice.text}</span>
          <button class="quiet" onClick={() => close(notice)}>
            Close
          </button>
        </div>
      ))}
    </div>
  )
}
