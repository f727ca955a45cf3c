import type { ComponentChildren } from 'preact'
import { useSteps } from './keys.ts'
import { spell } from './words.ts'

/** What became of something, in a colour and in a word. */
export function State({ name, label = spell(name) }: { name: string; label?: string | undefined }) {
  return (
    <span class={`state state-${name}`}>
      <span class="dot" aria-hidden="true" />
      {label}
    </span>
  )
}

/** What is known of something; what is null or false is left out. */
export function Facts({
  facts,
}: {
  facts: readonly (readonly [label: string, value: ComponentChildren] | null | false)[]
}) {
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

/** A column: its head, what a row has in it, and what it is on a small screen. */
export type Column<Row> = readonly [
  head: string,
  cell: (row: Row) => ComponentChildren,
  part?: 'main' | 'minor',
]

interface TableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
}

/** Rows with the same columns; j and k go from one link of a row to the next. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  const list = useSteps<HTMLTableSectionElement>()
  return (
    <table class="rows" aria-label={label}>
      <thead>
        <tr>
          {columns.map(([head]) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={list}>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(([head, cell, part]) => (
              <td key={head} class={part}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The link of a row to the screen of its own, with more about it below. */
export function RowLink({
  href,
  title,
  children,
}: {
  href: string
  title: string
  children?: ComponentChildren
}) {
  return (
    <>
      <a class="row-link" href={href}>
        <bdi>{title === '' ? '(empty)' : title}</bdi>
      </a>
      <span class="under">{children}</span>
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
