import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from './api.ts'
import { tellLoggedOut } from './logged-out.ts'

export interface Live<Answer> {
  /** The latest answer; while another is asked for, the one before. */
  answer: Answer | null
  error: ApiError | null
  /** Whether the answer is to an earlier question. */
  isStale: boolean
  /** Asks again at once. */
  refresh(): void
}

/**
 * Asks again and again while the page is seen, and at once where the question changes. What takes the
 * server longer is asked less often.
 */
export function useLive<Answer>(
  question: string,
  load: () => Promise<Answer>,
  intervalMs = 2_000,
): Live<Answer> {
  const [state, setState] = useState<Shown<Answer>>({
    question: '',
    text: '',
    answer: null,
    error: null,
  })
  const loading = useRef(load)
  loading.current = load
  const asking = useRef(() => {})

  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let round = 0

    const look = async () => {
      clearTimeout(timer)
      round += 1
      const mine = round
      const found = await loading.current().then(
        (answer) => ({ answer, error: null }),
        (error: unknown) => ({ answer: null, error: toApiError(error) }),
      )
      if (isOver || mine !== round) return
      if (found.error?.code === 'not_logged_in') tellLoggedOut()
      setState((before) => next(before, question, found))
      timer = setTimeout(() => void (document.hidden || look()), intervalMs)
    }
    const show = () => void (document.hidden || look())
    asking.current = () => void look()
    document.addEventListener('visibilitychange', show)
    void look()
    return () => {
      isOver = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', show)
    }
  }, [question])

  const refresh = useCallback(() => asking.current(), [])
  const { answer, error } = state
  return { answer, error, isStale: state.question !== question, refresh }
}

interface Shown<Answer> {
  question: string
  /** As it was sent, to tell whether anything has changed. */
  text: string
  answer: Answer | null
  error: ApiError | null
}

function next<Answer>(
  before: Shown<Answer>,
  question: string,
  { answer, error }: { answer: Answer | null; error: ApiError | null },
): Shown<Answer> {
  // What was known stays to be seen while the server cannot be reached.
  if (error)
    return {
      ...before,
      question,
      error,
      answer: before.question === question ? before.answer : null,
    }
  const text = JSON.stringify(answer)
  const isSame = before.question === question && before.text === text && before.error === null
  return isSame ? before : { question, text, answer, error: null }
}

function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('unknown', String(error))
}
