import { createInterface } from 'node:readline'

/** A call of a method of the other process. */
export interface Call {
  id: number
  method: string
  args: unknown[]
}

export interface CallAnswer {
  id: number
  result?: unknown
  error?: string
}

/**
 * Answers each line of input, which calls a method, with a line of JSON. Prints an answer with id 0
 * first, once it is ready.
 */
export function answerCalls(methods: object): void {
  createInterface({ input: process.stdin }).on('line', (line) => void answer(JSON.parse(line)))
  send({ id: 0 })

  async function answer({ id, method, args }: Call): Promise<void> {
    // Each caller passes the arguments of that method.
    const run = (methods as Record<string, (...args: unknown[]) => Promise<unknown>>)[method]
    try {
      send({ id, result: await run?.(...args) })
    } catch (error) {
      send({ id, error: String(error) })
    }
  }
}

function send(said: CallAnswer): void {
  process.stdout.write(`${JSON.stringify(said)}\n`)
}
