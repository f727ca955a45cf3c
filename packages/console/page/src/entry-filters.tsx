import type { EntryState, Facets } from '@feed-receiver/inbox'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from './api.ts'
import { Foreign } from './foreign.tsx'
import { linkTo, readRoute, replaceRoute } from './route.ts'
import { useKeys } from './use-keys.ts'

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

/** What the list is narrowed by. It is all in the link, so that a view can be sent to somebody. */
export function EntryFilters({ parameters }: { parameters: Readonly<Record<string, string>> }) {
  const [facets, setFacets] = useState<Facets>({ providers: [], types: [], categories: [] })
  useEffect(() => {
    // Without them the filters are empty, and the list itself says what is wrong.
    ask<Facets>('facets').then(setFacets, () => {})
  }, [])
  // On top of what the address says by then: a search is set some time after it was typed.
  const set = (changes: Record<string, string>) =>
    replaceRoute(linkTo('entries', { ...readRoute().parameters, ...changes }))
  const within = parameters['within'] ?? ''
  const isBetween = within === 'between'

  return (
    <search class="filters">
      <Search text={parameters['search'] ?? ''} onSearch={(search) => set({ search })} />
      <div class="segments" role="group" aria-label="State">
        {Object.entries(states).map(([state, label]) => (
          <button
            key={state}
            aria-pressed={(parameters['state'] ?? '') === state}
            onClick={() => set({ state })}
          >
            {label}
          </button>
        ))}
      </div>
      <div class="selects">
        {(
          [
            ['provider', 'Any provider', facets.providers],
            ['type', 'Any type', facets.types],
            ['category', 'Any category', facets.categories],
          ] as const
        ).map(([name, any, values]) => (
          <Choice
            key={name}
            label={name}
            any={any}
            values={values}
            value={parameters[name] ?? ''}
            onChoose={(value) => set({ [name]: value })}
          />
        ))}
        <select
          aria-label="Received"
          value={within}
          onChange={({ currentTarget }) =>
            set({ within: currentTarget.value, since: '', until: '' })
          }
        >
          {times.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        {isBetween &&
          (['since', 'until'] as const).map((name) => (
            <input
              key={name}
              type="datetime-local"
              aria-label={name === 'since' ? 'Received since' : 'Received before'}
              value={parameters[name] ?? ''}
              onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
            />
          ))}
        {parameters['subject'] !== undefined && (
          <button class="chip" onClick={() => set({ subject: '' })}>
            Subject <Foreign text={parameters['subject']} />
            <span aria-hidden="true"> ×</span>
            <span class="hidden"> (remove this filter)</span>
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
        timer.current = setTimeout(() => onSearch(value.trim()), pauseMs)
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Escape') currentTarget.blur()
      }}
    />
  )
}

interface ChoiceProps {
  label: string
  any: string
  values: string[]
  value: string
  onChoose: (value: string) => void
}

function Choice({ label, any, values, value, onChoose }: ChoiceProps) {
  const all = value === '' || values.includes(value) ? values : [value, ...values]
  return (
    <select
      aria-label={label[0]?.toUpperCase() + label.slice(1)}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <option value="">{any}</option>
      {all.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  )
}
