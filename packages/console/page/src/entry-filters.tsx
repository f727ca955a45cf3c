import type { ListedState } from '@feed-receiver/inbox'
import { changeRoute, Untrusted, Select, useKeys, useLive, Views } from '@feed-receiver/page-kit'
import type { Choice, ScreenProps } from '@feed-receiver/page-kit'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from './api.ts'

// The inbox cannot be imported in a browser. Its type ensures that no state is missing.
const states: Record<ListedState | '', string> = {
  '': 'All',
  received: 'Received',
  failing: 'Failing',
  done: 'Done',
  skipped: 'Skipped',
  dead: 'Dead',
}

const times: readonly Choice[] = [
  ['', 'Any time'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['between', 'Between …'],
]

const chips = [
  ['subject', 'Subject'],
  ['error', 'Same error'],
] as const

const limits = [
  ['since', 'Received since'],
  ['until', 'Received before'],
] as const

/** The filters of the list. They are in the link, so that a view can be shared. */
export function EntryFilters({ parameters }: ScreenProps) {
  // Without the facets the filters are empty, and the list itself shows the error.
  const facets = useLive('facets', () => ask('facets'), 60_000).answer
  const { search = '', state = '', within = '' } = parameters
  const anyOf = (name: string, values: string[] = []): Choice[] => {
    const chosen = parameters[name] ?? ''
    const all = chosen === '' || values.includes(chosen) ? values : [chosen, ...values]
    return [['', `Any ${name}`], ...all.map((one): Choice => [one, one])]
  }
  const selects = [
    ['provider', 'Provider', anyOf('provider', facets?.providers)],
    ['type', 'Type', anyOf('type', facets?.types)],
    ['category', 'Category', anyOf('category', facets?.categories)],
    ['within', 'Received', times],
  ] as const

  return (
    <search class="narrowing">
      <Search text={search} onSearch={(text) => changeRoute({ search: text })} />
      <Views name="state" label="State" choices={Object.entries(states)} value={state} />
      <div class="row selects">
        {selects.map(([name, label, choices]) => (
          <Select
            key={name}
            aria-label={label}
            choices={choices}
            chosen={parameters[name]}
            onChoose={(chosen) =>
              changeRoute({ [name]: chosen, ...(name === 'within' && { since: '', until: '' }) })
            }
          />
        ))}
        {within === 'between' &&
          limits.map(([name, label]) => (
            <input
              key={name}
              type="datetime-local"
              aria-label={label}
              value={toLocal(parameters[name])}
              onChange={({ currentTarget }) => changeRoute({ [name]: toIso(currentTarget.value) })}
            />
          ))}
        {chips.map(
          ([name, label]) =>
            parameters[name] !== undefined && (
              <button key={name} class="chip" onClick={() => changeRoute({ [name]: '' })}>
                <span>
                  {label} <Untrusted text={parameters[name]} />
                  <span aria-hidden="true"> ×</span>
                  <span class="hidden"> (remove this filter)</span>
                </span>
              </button>
            ),
        )}
      </div>
    </search>
  )
}

/** A time of the link in the zone of the reader, as the input has it. */
function toLocal(iso?: string): string {
  const ms = Date.parse(iso ?? '')
  if (Number.isNaN(ms)) return ''
  return toIso(ms - new Date(ms).getTimezoneOffset() * 60_000).slice(0, 16)
}

/** A time for the link, the same in every zone; empty if there is none. */
function toIso(local: string | number): string {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

const pauseMs = 200

/** Searches when the user pauses typing. */
function Search({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useKeys({ '/': () => input.current?.focus() })
  // A link may change the text too, but never while the user types.
  useEffect(() => {
    if (document.activeElement !== input.current) setTyped(text)
  }, [text])
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = (value: string) => {
    clearTimeout(timer.current)
    timer.current = undefined
    onSearch(value.trim())
  }
  return (
    <input
      ref={input}
      type="search"
      class="search"
      aria-label="Search by event id or words"
      placeholder="Event id, or words in a title, type or subject"
      value={typed}
      onInput={({ currentTarget: { value } }) => {
        setTyped(value)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => search(value), pauseMs)
      }}
      // Without waiting for the pause: by then another screen may be shown.
      onBlur={({ currentTarget: { value } }) => {
        if (timer.current !== undefined) search(value)
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Escape') currentTarget.blur()
      }}
    />
  )
}
