import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Untrusted } from './untrusted.tsx'
import { linkTo } from './route.ts'
import { spell } from './words.ts'

const tones = {
  busy: ['received', 'running', 'scheduled', 'in_flight', 'new'],
  good: ['done', 'released', 'active', 'delivered', 'accepted'],
  warn: ['retrying', 'failing', 'open', 'paused', 'held', 'retry', 'interrupted'],
  bad: ['dead', 'rejected', 'exhausted', 'test_failed', 'pause'],
}

function toneOf(state: string): string {
  return Object.entries(tones).find(([, states]) => states.includes(state))?.[0] ?? ''
}

export function State({ name, label = spell(name) }: { name: string; label?: string }) {
  return (
    <span class={`state state-${name} ${toneOf(name)}`}>
      <span class="dot" aria-hidden="true" />
      {label}
    </span>
  )
}

interface FactsProps {
  /** Labels and values. False ones are left out. */
  facts: readonly (readonly [label: ComponentChildren, value: ComponentChildren] | false)[]
  /** Whether each fact has its own line. */
  look?: 'facts' | 'lines'
}

export function Facts({ facts, look = 'facts' }: FactsProps) {
  return (
    <dl class={look}>
      {facts
        .filter((fact) => fact !== false)
        .map(([label, value], index) => (
          <div key={index}>
            <dt>
              <bdi>{label}</bdi>
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

interface TableProps<Row> {
  label: string
  head: readonly string[]
  rows: readonly Row[]
  /** The text if there are no rows. */
  none?: ComponentChildren
  cells: (row: Row) => ComponentChildren[]
  /** The column that gets its own line on a small screen. */
  main?: number
  /** Whether rows have the height of two short lines, and longer text is cut. */
  isDense?: boolean
}

export function Table<Row extends { id: string | number }>({
  label,
  head,
  rows,
  none,
  cells,
  main = 1,
  isDense = false,
}: TableProps<Row>) {
  if (rows.length === 0 && none !== undefined) return <div class="empty">{none}</div>
  return (
    <table class={isDense ? 'rows dense' : 'rows'} aria-label={label}>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            {cells(row).map((cell, column) => (
              <td key={column} class={column === main ? 'main' : ''}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface RowLinkProps {
  /** The screen that shows one row. */
  to: string
  id: string | number
  title: string
  children?: ComponentChildren
  /** Another line below. */
  line?: ComponentChildren
}

/** The link from a row to its screen, with details below it. */
export function RowLink({ to, id, title, children, line }: RowLinkProps) {
  return (
    <>
      <a class="row-link" href={linkTo(to, { id })}>
        <Untrusted text={title} />
      </a>
      <span class="under">{children}</span>
      {line && <span class="under line">{line}</span>}
    </>
  )
}

/** Content, with details below it if there are any. */
export function withMore(shown: ComponentChildren, more: ComponentChildren) {
  return (
    <>
      {shown}
      {more && <span class="under">{more}</span>}
    </>
  )
}

export const pageSize = 50

/**
 * The number of rows to query, which starts with one page. `more` is the button for another page, or
 * says that there are more than `max` rows. Another question starts again.
 */
export function usePages(question: string, max = Infinity) {
  const [wanted, setWanted] = useState({ question, count: pageSize })
  const count = wanted.question === question ? wanted.count : pageSize
  const more = (next: unknown) =>
    next !== null && (
      <p class="more">
        {count < max ? (
          <button onClick={() => setWanted({ question, count: count + pageSize })}>
            Show more
          </button>
        ) : (
          `Only the newest ${max} are shown.`
        )}
      </p>
    )
  return { count, more }
}

interface SectionProps {
  title: string
  beside?: ComponentChildren
  children: ComponentChildren
}

export function Section({ title, beside, children }: SectionProps) {
  const id = useId()
  const heading = <h2 id={id}>{title}</h2>
  return (
    <section aria-labelledby={id}>
      {beside === undefined ? (
        heading
      ) : (
        <div class="section-head">
          {heading}
          {beside}
        </div>
      )}
      {children}
    </section>
  )
}
