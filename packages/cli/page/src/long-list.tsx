import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface LongListProps<Row> {
  label: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  children: (row: Row) => ComponentChildren
}

/** This many extra rows are rendered above and below, so that fast scrolling shows no gap. */
const spare = 12

/**
 * A list of thousands of rows. All have the height that the style sheet sets with `--row-height`.
 * Only the rows within the window are in the document.
 */
export function LongList<Row>({ label, rows, keyOf, children }: LongListProps<Row>) {
  const list = useRef<HTMLOListElement>(null)
  const [{ first, count, height }, setShown] = useState({ first: 0, count: 60, height: 44 })

  const measure = () => {
    if (!list.current) return
    const rowHeight = Number.parseFloat(
      getComputedStyle(list.current).getPropertyValue('--row-height'),
    )
    const above = Math.max(0, -list.current.getBoundingClientRect().top)
    // In steps, so that most scrolling rerenders nothing.
    const start = Math.max(0, Math.floor(above / rowHeight / spare) * spare - spare)
    const within = Math.ceil(innerHeight / rowHeight) + 3 * spare
    setShown((before) =>
      before.first === start && before.count === within && before.height === rowHeight
        ? before
        : { first: start, count: within, height: rowHeight },
    )
  }
  useLayoutEffect(measure, [rows.length])
  useEffect(() => {
    addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [])

  return (
    <ol
      class="long-list"
      aria-label={label}
      ref={list}
      style={{ height: `${rows.length * height}px` }}
    >
      {rows.slice(first, first + count).map((row, index) => (
        <li
          key={keyOf(row)}
          aria-setsize={rows.length}
          aria-posinset={first + index + 1}
          style={{ transform: `translateY(${(first + index) * height}px)` }}
        >
          {children(row)}
        </li>
      ))}
    </ol>
  )
}
