import { useState } from 'preact/hooks'
import { messageOf } from './api.ts'
import { tellChanged } from './live.tsx'

/** Runs what somebody asks for, says while it runs and why it failed, and has all views ask again. */
export function useTask() {
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const run = async (work: () => Promise<unknown>) => {
    setIsBusy(true)
    setProblem('')
    await work().catch((error: unknown) => setProblem(messageOf(error)))
    setIsBusy(false)
    tellChanged()
  }
  return { isBusy, problem, setProblem, run }
}
