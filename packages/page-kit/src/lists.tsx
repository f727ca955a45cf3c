import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Foreign } from './foreign.tsx'
import { linkTo } from './route.ts'
import tonesOfStates from './tones.json' with { type: 'json' }
import { spell } from './words.ts'

const tones = new Map(Object.entries(tonesOfStates))

/** What became of something, in a colour and in a word. */
export function State({ name, label = spell(name) }: { name: string; label?: string }) {
  return (
    <span class={`state state-${name} ${tones.get(name) ?? ''}`}>
      <span class="dot" aria-hidden="true" />
      {label}
    </span>
  )
}

interface FactsProps {
  /** With their labels; what is false is left out. */
  facts: readonly (readonly [label: ComponentChildren, value: ComponentChildren] | false)[]
  /** Whether each has a line of its own. */
  look?: 'facts' | 'lines'
}

/** What is known of something. */
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
  /** What to say if there is no row. */
  none?: ComponentChildren
  /** What a row has in each column. */
  cells: (row: Row) => ComponentChildren[]
  /** The column that has a line of its own on a small screen. */
  main?: number
  /** Whether a row has the height of two short lines, and what is too long is cut. */
  isDense?: boolean
}

/** Rows with the same columns. */
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
  /** The screen of one. */
  to: string
  id: string | number
  title: string
  children?: ComponentChildren
  /** A line of its own below. */
  line?: ComponentChildren
}

/** The link of a row to the screen of its own, with more about it below. */
export function RowLink({ to, id, title, children, line }: RowLinkProps) {
  return (
    <>
      <a class="row-link" href={linkTo(to, { id })}>
        <Foreign text={title} />
      </a>
      <span class="under">{children}</span>
      {line && <span class="under line">{line}</span>}
    </>
  )
}

/** Something, and more about it below if there is more. */
export function withMore(shown: ComponentChildren, more: ComponentChildren) {
  return (
    <>
      {shown}
      {more && <span class="under">{more}</span>}
    </>
  )
}

/** How many rows a list grows by. */
export const pageSize = 50

/**
 * How many rows of a list to ask for, from one page on; `more` is the button for another page, as
 * long as something comes next and there are fewer than `max`. Another question begins anew.
 */
export function usePages(question: string, max = Infinity) {
  const [wanted, setWanted] = useState({ question, count: pageSize })
  const count = wanted.question === question ? wanted.count : pageSize
  const more = (next: unknown) =>
    next !== null &&
    count < max && (
      <p class="more">
        <button onClick={() => setWanted({ question, count: count + pageSize })}>Show more</button>
      </p>
    )
  return { count, more }
}

interface SectionProps {
  title: string
  /** What stands beside its heading. */
  beside?: ComponentChildren
  children: ComponentChildren
}

/** A part of a screen under a heading. */
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
