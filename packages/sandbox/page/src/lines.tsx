import type { ComponentChildren } from 'preact'

interface LinesProps {
  none: string
  children: ComponentChildren[]
}

/** Lines of text, each with something at its end. */
export function Lines({ none, children }: LinesProps) {
  if (children.length === 0) return <p class="empty">{none}</p>
  return <ul class="lines">{children}</ul>
}
