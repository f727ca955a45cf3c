import type { ComponentChildren } from 'preact'
import { useSteps } from './keys.ts'
import { spell } from './words.ts'

/** What became of something, in a colour and in a word. */
export function State({ name, label = spell(name) }: { name: string; label?: string }) {
  return (
    <span class={`state state-${name}`}>
      <span class="dot" aria-hidden="true" />
      {label}
    </span>
  )
}

interface FactsProps {
  /** With their labels; what is null or false is left out. */
  facts: readonly (readonly [label: string, value: ComponentChildren] | null | false)[]
}

/** What is known of something. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl class="facts">
      {facts
        .filter((fact) => fact !== null && fact !== false)
        .map(([label, value]) => (
          <div key={label}>
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
}

/** Rows with the same columns; j and k go from one link of a row to the next. */
export function Table<Row extends { id: string | number }>({
  label,
  head,
  rows,
  none,
  cells,
  main = 1,
}: TableProps<Row>) {
  const list = useSteps<HTMLTableSectionElement>()
  if (rows.length === 0 && none !== undefined) return <p class="empty">{none}</p>
  return (
    <table class="rows" aria-label={label}>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={list}>
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
  href: string
  title: string
  children?: ComponentChildren
}

/** The link of a row to the screen of its own, with more about it below. */
export function RowLink({ href, title, children }: RowLinkProps) {
  return (
    <>
      <a class="row-link" href={href}>
        <bdi>{title === '' ? '(empty)' : title}</bdi>
      </a>
      <span class="under">{children}</span>
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

/** Asks for more of a list. */
export function More({ onMore }: { onMore: () => void }) {
  return (
    <p class="more">
      <button onClick={onMore}>Show more</button>
    </p>
  )
}
