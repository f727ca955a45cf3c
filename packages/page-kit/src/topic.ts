import { useLayoutEffect, useRef } from 'preact/hooks'

export type Topic<Message> = Set<(message: Message) => void>

export function publish<Message>(topic: Topic<Message>, message: Message): void {
  for (const listener of topic) listener(message)
}

/** Subscribes to a topic while the component is shown. */
export function useTopic<Message>(
  topic: Topic<Message>,
  listener: (message: Message) => void,
): void {
  const latest = useRef(listener)
  latest.current = listener
  useLayoutEffect(() => {
    const own = (message: Message) => latest.current(message)
    topic.add(own)
    return () => void topic.delete(own)
  }, [topic])
}
