import { styleText } from 'node:util'

/** One line of the board: the delivery, its responses, and its result. */
export interface Row {
  event: string
  type: string
  answers: (number | string)[]
  inbox: string
  handler: string
}

/** Shows rows as they change: redrawn in place on a terminal, else as a log and one table. */
export interface Board {
  readonly rows: readonly Row[]
  /** Adds the response to an attempt to the row of its event. */
  answer(event: string, type: string, answer: number | string): void
  /** Shows a change. Prints its text if the table cannot be redrawn. */
  draw(change: string): void
  /** Prints what is about to happen, below the table so far. */
  announce(text: string): void
  /** Leaves the finished table, so that other lines may follow it. */
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
  // A table taller than the window cannot be redrawn, because lines that scrolled away stay.
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

  function announce(text: string): void {
    out.write(`\n${text}\n`)
    // Warnings may follow, so the table begins again below them.
    drawnLines = 0
  }

  function end(): void {
    if (isLive) redraw()
    else out.write(['', heading(out.isTTY), ...rows.map(line), ''].join('\n'))
  }

  return { rows, answer, draw, announce, end }
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
