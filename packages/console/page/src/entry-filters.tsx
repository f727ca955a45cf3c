import type { EntryState, Facets } from '@feed-receiver/inbox'
import {
  Foreign,
  readRoute,
  replaceRoute,
  Segments,
  Select,
  useKeys,
} from '@feed-receiver/page-kit'
import type { ScreenProps } from '@feed-receiver/page-kit'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from './api.ts'

// The inbox itself is not for browsers; its type sees that none is missing.
const states: Record<EntryState | '', string> = {
  '': 'All',
  received: 'Received',
  done: 'Done',
  skipped: 'Skipped',
  dead: 'Dead',
}

const times = [
  ['', 'Any time'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['between', 'Between …'],
] as const

const limits = [
  ['since', 'Received since'],
  ['until', 'Received before'],
] as const

/** What the list is narrowed by. It is all in the link, so that a view can be sent to somebody. */
export function EntryFilters({ parameters }: ScreenProps) {
  const [facets, setFacets] = useState<Facets>({ providers: [], types: [], categories: [] })
  useEffect(() => {
    // Without them the filters are empty, and the list itself says what is wrong.
    ask<Facets>('facets').then(setFacets, () => {})
  }, [])
  // On top of what the address says by then: a search is set some time after it was typed.
  const set = (changes: Record<string, string>) =>
    replaceRoute('entries', { ...readRoute().parameters, ...changes })
  const { search = '', state = '', within = '', subject } = parameters
  const choices = [
    ['provider', 'Provider', facets.providers],
    ['type', 'Type', facets.types],
    ['category', 'Category', facets.categories],
  ] as const

  return (
    <search class="narrowing">
      <Search text={search} onSearch={(text) => set({ search: text })} />
      <Segments
        label="State"
        choices={Object.entries(states)}
        value={state}
        onChoose={(chosen) => set({ state: chosen })}
      />
      <div class="row selects">
        {choices.map(([name, label, values]) => (
          <Choice
            key={name}
            label={label}
            values={values}
            value={parameters[name] ?? ''}
            onChoose={(value) => set({ [name]: value })}
          />
        ))}
        <Select
          aria-label="Received"
          choices={times}
          chosen={within}
          onChoose={(chosen) => set({ within: chosen, since: '', until: '' })}
        />
        {within === 'between' &&
          limits.map(([name, label]) => (
            <input
              key={name}
              type="datetime-local"
              aria-label={label}
              value={parameters[name] ?? ''}
              onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
            />
          ))}
        {subject !== undefined && (
          <button class="chip" onClick={() => set({ subject: '' })}>
            <span>
              Subject <Foreign text={subject} />
              <span aria-hidden="true"> ×</span>
              <span class="hidden"> (remove this filter)</span>
            </span>
          </button>
        )}
      </div>
    </search>
  )
}

const pauseMs = 200

/** Searches once somebody pauses. */
function Search({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useKeys({ '/': () => input.current?.focus() })
  // A link may change it as well, but never while somebody types.
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
      aria-label="Search: an event id, or the beginning of a title or subject"
      placeholder="Event id, or the beginning of a title or subject"
      value={typed}
      onInput={({ currentTarget: { value } }) => {
        setTyped(value)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => search(value), pauseMs)
      }}
      // Not after the pause: by then another screen may be shown.
      onBlur={({ currentTarget: { value } }) => {
        if (timer.current !== undefined) search(value)
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Escape') currentTarget.blur()
      }}
    />
  )
}

interface ChoiceProps {
  label: string
  values: string[]
  value: string
  onChoose: (value: string) => void
}

function Choice({ label, values, value, onChoose }: ChoiceProps) {
  const all = value === '' || values.includes(value) ? values : [value, ...values]
  const choices = [
    ['', `Any ${label.toLowerCase()}`] as const,
    ...all.map((one) => [one, one] as const),
  ]
  return <Select aria-label={label} choices={choices} chosen={value} onChoose={onChoose} />
}
