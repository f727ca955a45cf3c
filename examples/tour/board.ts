import { styleText } from 'node:util'

/** One line of the board: what was sent, how it was answered, and what became of it. */
export interface Row {
  event: string
  type: string
  answers: (number | string)[]
  inbox: string
  handler: string
}

/** Shows rows as they fill: redrawn in place on a terminal, as a log and one table elsewhere. */
export interface Board {
  readonly rows: readonly Row[]
  /** Adds how an attempt was answered to the row of its event. */
  answer(event: string, type: string, answer: number | string): void
  /** Shows what has changed; the text says it where nothing can be redrawn. */
  draw(change: string): void
  /** Leaves the table as it is, so that other lines may follow it. */
  end(): void
}

const columns = [
  ['event', 35],
  ['type', 26],
  ['attempts', 9],
  ['answers', 16],
  ['inbox', 12],
  ['handler', 20],
] as const

export function createBoard(out: NodeJS.WriteStream, expectedRows: number): Board {
  const rows: Row[] = []
  // A table taller than the window could not be redrawn: what has scrolled away stays as it is.
  const isLive = out.isTTY && (out.rows ?? 0) > expectedRows + 3
  let drawnLines = 0

  function answer(event: string, type: string, given: number | string): void {
    const row = rows.find((one) => one.event === event) ?? add(event, type)
    row.answers.push(given)
    draw(`${event} ${type}, attempt ${row.answers.length}: ${given}`)
  }

  function add(event: string, type: string): Row {
    const row: Row = { event, type, answers: [], inbox: '', handler: '' }
    rows.push(row)
    return row
  }

  function draw(change: string): void {
    if (isLive) redraw()
    else out.write(`${change}\n`)
  }

  function redraw(): void {
    const lines = [heading(out.isTTY), ...rows.map(line)]
    if (drawnLines > 0) out.write(`\u001b[${drawnLines}A\u001b[0J`)
    out.write(`${lines.join('\n')}\n`)
    drawnLines = lines.length
  }

  function end(): void {
    if (isLive) redraw()
    else out.write(['', heading(out.isTTY), ...rows.map(line), ''].join('\n'))
  }

  return { rows, answer, draw, end }
}

function heading(isTTY: boolean): string {
  const text = columns
    .map(([name, width]) => name.padEnd(width))
    .join('')
    .trimEnd()
  return isTTY ? styleText('bold', text) : text
}

function line({ event, type, answers, inbox, handler }: Row): string {
  const cells = [event, type, String(answers.length), answers.join(' '), inbox, handler]
  return columns
    .map(([, width], index) => (cells[index] ?? '').padEnd(width))
    .join('')
    .trimEnd()
}
