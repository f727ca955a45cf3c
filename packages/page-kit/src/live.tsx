import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { messageOf } from './api.ts'
import { createTopic, tell, useTopic } from './topic.ts'

export interface Live<Answer> {
  /** The latest answer; while another is asked for, the one before. */
  answer: Answer | null
  /** Why the latest question was not answered; empty if it was. */
  problem: string
  /** Whether the answer is to an earlier question. */
  isStale: boolean
}

const changed = createTopic<void>()

/** Has every live view ask again at once. */
export function tellChanged(): void {
  tell(changed, undefined)
}

/**
 * Asks again and again while the page is seen, and at once when the question changes. What takes the
 * server longer is asked less often.
 */
export function useLive<Answer>(
  question: string,
  load: () => Promise<Answer>,
  intervalMs = 2_000,
): Live<Answer> {
  const [shown, setShown] = useState<Found<Answer>>(nothing)
  const loading = useRef(load)
  loading.current = load
  const asking = useRef(() => {})
  useTopic(changed, () => asking.current())

  useEffect(() => {
    let round = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      clearTimeout(timer)
      round += 1
      const mine = round
      const found = await loading.current().then(
        (answer) => ({ answer, text: JSON.stringify(answer), problem: '' }),
        (error: unknown) => ({ answer: null, text: '', problem: messageOf(error) }),
      )
      if (mine !== round) return
      setShown((before) => next(before, { question, ...found }))
      timer = setTimeout(lookIfSeen, intervalMs)
    }
    const lookIfSeen = () => void (document.hidden || look())
    asking.current = () => void look()
    document.addEventListener('visibilitychange', lookIfSeen)
    void look()
    return () => {
      round = -1
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', lookIfSeen)
    }
  }, [question, intervalMs])

  const { answer, problem } = shown
  return { answer, problem, isStale: shown.question !== question }
}

/** Shows the answer once there is one, and above it why there is no newer one. */
export function Shown<Answer>({
  live,
  children,
}: {
  live: Live<Answer>
  children: (answer: Answer) => ComponentChildren
}) {
  return (
    <>
      {live.problem !== '' && (
        <p class="banner warn" role="alert">
          {live.problem}
        </p>
      )}
      {live.answer !== null && (
        <div class={live.isStale ? 'stale' : ''}>{children(live.answer)}</div>
      )}
    </>
  )
}

interface Found<Answer> {
  question: string
  answer: Answer | null
  /** The answer as it was sent, to tell whether anything has changed. */
  text: string
  problem: string
}

const nothing = { question: '', answer: null, text: '', problem: '' }

function next<Answer>(before: Found<Answer>, found: Found<Answer>): Found<Answer> {
  const isSameQuestion = before.question === found.question
  // What was known stays to be seen while the server cannot be reached.
  if (found.problem !== '') return isSameQuestion ? { ...found, answer: before.answer } : found
  const isSame = isSameQuestion && before.problem === '' && before.text === found.text
  return isSame ? before : found
}
