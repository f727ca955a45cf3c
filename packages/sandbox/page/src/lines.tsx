import type { ComponentChildren } from 'preact'

/** Lines of text, each with something at its end. */
export function Lines({ none, children }: { none: string; children: ComponentChildren[] }) {
  if (children.length === 0) return <p class="empty">{none}</p>
  return <ul class="lines">{children}</ul>
}
