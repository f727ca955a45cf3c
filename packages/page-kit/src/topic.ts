import { useLayoutEffect, useRef } from 'preact/hooks'

/** Something that one part of the page tells, and others hear. */
export type Topic<Said> = Set<(said: Said) => void>

export function tell<Said>(topic: Topic<Said>, said: Said): void {
  for (const hear of topic) hear(said)
}

/** Hears what is told for as long as the component is shown. */
export function useTopic<Said>(topic: Topic<Said>, hear: (said: Said) => void): void {
  const latest = useRef(hear)
  latest.current = hear
  useLayoutEffect(() => {
    const own = (said: Said) => latest.current(said)
    topic.add(own)
    return () => void topic.delete(own)
  }, [topic])
}
