import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { messageOf } from './api.ts'
import { Head } from './frame.tsx'
import { notify } from './notices.tsx'
import { tell, useTopic, type Topic } from './topic.ts'

interface Found<Answer> {
  question: string
  /** The latest answer; while another is asked for, the one before. */
  answer: Answer | null
  /** Why the latest question was not answered; empty if it was. */
  problem: string
}

const soonMs = 2_000

/** Has every live view ask again at once. */
const changed: Topic<void> = new Set()

/**
 * Runs what somebody asks for, says while it runs and why it failed, and has all views ask again. If
 * the work gives a sentence, that is what a notice says.
 */
export function useTask() {
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const run = async (work: () => Promise<unknown>) => {
    setIsBusy(true)
    setProblem('')
    const said = await work().catch((error: unknown) => setProblem(messageOf(error)))
    if (typeof said === 'string') notify(said)
    setIsBusy(false)
    tell(changed, undefined)
  }
  return { isBusy, problem, setProblem, run }
}

/**
 * Asks again and again while the page is seen, and at once when the question changes. What takes the
 * server longer, or stays the same, is asked less often, unless it was not answered. An answer to an
 * earlier question is stale.
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
    const look = async () => {
      clearTimeout(timer)
      round += 1
      const mine = round
      const found = await loading.current().then(
        (answer) => ({ question, answer, problem: '' }),
        (error: unknown) => ({ question, answer: null, problem: messageOf(error) }),
      )
      if (mine !== round) return
      setShown((before) => next(before, found))
      timer = setTimeout(lookIfSeen, found.problem === '' ? everyMs : soonMs)
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
  }, [question, everyMs])

  return { ...shown, isStale: shown.question !== question }
}

function next<Answer>(before: Found<Answer>, found: Found<Answer>): Found<Answer> {
  // What was known stays to be seen while the server cannot be reached.
  const isKept = before.question === found.question && found.problem !== ''
  const after = isKept ? { ...found, answer: before.answer } : found
  return JSON.stringify(before) === JSON.stringify(after) ? before : after
}

/** A part of a screen; where it depends on the answer, null stands for none yet. */
type Part<Answer> = ComponentChildren | ((answer: Answer | null) => ComponentChildren)

interface LiveScreenProps<Answer> {
  /** The screen that it belongs to, as a link. */
  crumb?: ComponentChildren
  title: Part<Answer>
  /** What stands beside its heading. */
  beside?: Part<Answer>
  /** What to know first. */
  lead?: ComponentChildren
  /** Other controls, above the answer. */
  top?: Part<Answer>
  /** What else the answer depends on. */
  question?: string
  load: () => Promise<Answer>
  everyMs?: number
  children: (answer: Answer) => ComponentChildren
}

/**
 * A screen of what the server answers, again and again, under a heading: the answer once there is
 * one, and above it why there is no newer one.
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
