import type { EntryState, QuarantineState } from '@feed-receiver/inbox'

type State = EntryState | QuarantineState | 'running' | 'retrying'

const words: Record<State, string> = {
  received: 'Received',
  done: 'Done',
  skipped: 'Skipped',
  dead: 'Dead',
  running: 'Running',
  retrying: 'Failing',
  open: 'Open',
  released: 'Released',
  discarded: 'Discarded',
}

/** What became of something, in a colour and in a word. */
export function StateMark({ state }: { state: State }) {
  return (
    <span class={`state state-${state}`}>
      <span class="dot" aria-hidden="true" />
      {words[state]}
    </span>
  )
}
