import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { messageOf } from './api.ts'
import { useKeys } from './keys.ts'
import { isModalOpen, modalClosed } from './modal.ts'
import { publish, useTopic, type Topic } from './topic.ts'

const shownMs = 6_000
const mostGood = 3

interface Notice {
  id: number
  text: string
  isBad: boolean
  /** The action it is about. A later attempt replaces the notice of an earlier one. */
  about: string
}

const notices: Topic<Notice> = new Set()
const succeeded: Topic<string> = new Set()
let count = 0

/** Shows a sentence for a while. A failure stays until it is closed. */
export function notify(text: string, { isBad = false, about = text } = {}): void {
  count += 1
  publish(notices, { id: count, text, isBad, about })
}

/** Runs an action, and shows its failure until it is closed or the next attempt succeeds. */
export async function tryTo<Result>(
  about: string,
  run: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    const result = await run()
    publish(succeeded, about)
    return result
  } catch (error) {
    notify(messageOf(error), { isBad: true, about })
    return undefined
  }
}

/**
 * Shows the latest notices beside the screen, or on a phone at the unused end of the window, and
 * has each read out once. Escape closes the newest.
 */
export function Notices() {
  const [shown, setShown] = useState<readonly Notice[]>([])
  const waiting = useRef<Notice[]>([])
  const { element, place, moveAway } = useFreePlace()
  const close = ({ id }: Notice) => setShown((before) => before.filter((one) => one.id !== id))
  const show = (notice: Notice) => {
    moveAway()
    setShown((before) => add(before, notice))
  }
  // Behind a dialog nobody would read it, and a screen reader would not announce it.
  useTopic(notices, (notice) => (isModalOpen() ? waiting.current.push(notice) : show(notice)))
  useTopic(modalClosed, () => waiting.current.splice(0).forEach(show))
  useTopic(succeeded, (about) => setShown((before) => before.filter((one) => one.about !== about)))
  const newest = shown.at(-1)
  useKeys(newest ? { Escape: () => close(newest) } : {})

  const list = (isBad: boolean) =>
    shown
      .filter((one) => one.isBad === isBad)
      .map((one) => <Shown key={one.id} notice={one} close={() => close(one)} />)
  // New notices are appended, so only those are read out.
  return (
    <div class={`notices at-${place}`} ref={element}>
      <div role="alert" aria-atomic="false">
        {list(true)}
      </div>
      <div role="status" aria-atomic="false">
        {list(false)}
      </div>
    </div>
  )
}

function add(before: readonly Notice[], notice: Notice): Notice[] {
  const others = before.filter(({ text, about }) => text !== notice.text && about !== notice.about)
  const good = [...others, notice].filter(({ isBad }) => !isBad)
  const old = new Set(good.slice(0, -mostGood))
  return [...others, notice].filter((one) => !old.has(one))
}

function Shown({ notice, close }: { notice: Notice; close: () => void }) {
  const [isHeld, setIsHeld] = useState(false)
  const id = useId()
  useEffect(() => {
    if (notice.isBad || isHeld) return undefined
    const timer = setTimeout(close, shownMs)
    return () => clearTimeout(timer)
  }, [notice, isHeld])
  const closeByHand = () => {
    close()
    // The button that had the focus disappeared with its notice.
    document.querySelector('h1')?.focus({ preventScroll: true })
  }
  return (
    <div
      class={`notice ${notice.isBad ? 'bad' : ''}`}
      onMouseEnter={() => setIsHeld(true)}
      onMouseLeave={() => setIsHeld(false)}
      onFocusIn={() => setIsHeld(true)}
      onFocusOut={() => setIsHeld(false)}
    >
      <span id={id}>{notice.text}</span>
      <button class="quiet" aria-describedby={id} onClick={closeByHand}>
        Close
      </button>
    </div>
  )
}

/** The end of the window, top or bottom, away from the last pressed or focused element. */
function useFreePlace() {
  const [place, setPlace] = useState<'top' | 'bottom'>('bottom')
  const element = useRef<HTMLDivElement>(null)
  const used = useRef(0)
  const moveAway = () => setPlace(used.current > innerHeight / 2 ? 'top' : 'bottom')
  useEffect(() => {
    const press = ({ clientY, target }: PointerEvent) => {
      if (target instanceof Node && !element.current?.contains(target)) used.current = clientY
    }
    const focus = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || element.current?.contains(target)) return
      const box = target.getBoundingClientRect()
      used.current = (box.top + box.bottom) / 2
      const own = element.current?.getBoundingClientRect()
      if (own && own.top < box.bottom && box.top < own.bottom) moveAway()
    }
    addEventListener('pointerdown', press, true)
    addEventListener('focusin', focus)
    return () => {
      removeEventListener('pointerdown', press, true)
      removeEventListener('focusin', focus)
    }
  }, [])
  return { element, place, moveAway }
}
