import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { messageOf } from './api.ts'
import { Head } from './frame.tsx'
import { notify } from './notices.tsx'
import { publish, useTopic, type Topic } from './topic.ts'

interface Found<Answer> {
  question: string
  /** The latest answer. While the next one loads, the previous one. */
  answer: Answer | null
  /** Why the latest query failed; empty if it succeeded. */
  problem: string
}

const soonMs = 2_000

/** Makes every live view query again now. */
const changed: Topic<void> = new Set()

/**
 * Runs an action of the user, shows that it runs and why it failed, and refreshes all views. A
 * sentence that the action returns appears in a notice.
 */
export function useTask() {
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const run = async (work: () => Promise<unknown>) => {
    setIsBusy(true)
    setProblem('')
    const notice = await work().catch((error: unknown) => setProblem(messageOf(error)))
    if (typeof notice === 'string') notify(notice)
    setIsBusy(false)
    publish(changed, undefined)
  }
  return { isBusy, problem, setProblem, run }
}

/**
 * Polls while the page is visible, and queries immediately when the question changes. A query that
 * failed is repeated soon, whatever the interval is. An answer to an earlier question is stale.
 */
export function useLive<Answer>(question: string, load: () => Promise<Answer>, everyMs = soonMs) {
  const [shown, setShown] = useState<Found<Answer>>({ question: '', answer: null, problem: '' })
  const loading = useRef(load)
  loading.current = load
  const asking = useRef(() => {})
  useTopic(changed, () => asking.current())

  useEffect(() => {
    let round = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const poll = async () => {
      clearTimeout(timer)
      round += 1
      const mine = round
      const found = await loading.current().then(
        (answer) => ({ question, answer, problem: '' }),
        (error: unknown) => ({ question, answer: null, problem: messageOf(error) }),
      )
      if (mine !== round) return
      setShown((before) => next(before, found))
      timer = setTimeout(pollIfVisible, found.problem === '' ? everyMs : soonMs)
    }
    const pollIfVisible = () => void (document.hidden || poll())
    asking.current = () => void poll()
    document.addEventListener('visibilitychange', pollIfVisible)
    void poll()
    return () => {
      round = -1
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', pollIfVisible)
    }
  }, [question, everyMs])

  return { ...shown, isStale: shown.question !== question }
}

function next<Answer>(before: Found<Answer>, found: Found<Answer>): Found<Answer> {
  // The last answer stays visible while the server cannot be reached.
  const isKept = before.question === found.question && found.problem !== ''
  const after = isKept ? { ...found, answer: before.answer } : found
  return JSON.stringify(before) === JSON.stringify(after) ? before : after
}

/** A part of a screen. A function gets the answer, which is null before the first one. */
type Part<Answer> = ComponentChildren | ((answer: Answer | null) => ComponentChildren)

interface LiveScreenProps<Answer> {
  /** The screen that it belongs to, as a link. */
  crumb?: ComponentChildren
  title: Part<Answer>
  beside?: Part<Answer>
  /** The first information on the screen. */
  lead?: ComponentChildren
  /** Other controls, above the answer. */
  top?: Part<Answer>
  /** Other values that the answer depends on. */
  question?: string
  load: () => Promise<Answer>
  everyMs?: number
  children: (answer: Answer) => ComponentChildren
}

/**
 * A screen that polls the server, under a heading: it shows the answer once there is one, and above
 * it why there is no newer one.
 */
export function LiveScreen<Answer>(props: LiveScreenProps<Answer>) {
  const { crumb, title, beside, lead, top, question = '', load, everyMs, children } = props
  const { answer, problem, isStale } = useLive(question, load, everyMs)
  const show = (part: Part<Answer>) => (typeof part === 'function' ? part(answer) : part)
  return (
    <>
      {crumb && <p class="crumb">{crumb}</p>}
      <Head title={show(title)}>{show(beside)}</Head>
      {lead && <p class="lead">{lead}</p>}
      {show(top)}
      {problem !== '' && (
        <p class="banner warn" role="alert">
          {problem}
        </p>
      )}
      {answer !== null && <div class={isStale ? 'stale' : ''}>{children(answer)}</div>}
    </>
  )
}
