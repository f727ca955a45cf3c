import { useLayoutEffect, useRef } from 'preact/hooks'

/** A topic to which components subscribe. */
export type Topic<Said> = Set<(said: Said) => void>

export function tell<Said>(topic: Topic<Said>, said: Said): void {
  for (const hear of topic) hear(said)
}

/** Subscribes to a topic while the component is shown. */
export function useTopic<Said>(topic: Topic<Said>, hear: (said: Said) => void): void {
  const latest = useRef(hear)
  latest.current = hear
  useLayoutEffect(() => {
    const own = (said: Said) => latest.current(said)
    topic.add(own)
    return () => void topic.delete(own)
  }, [topic])
}
