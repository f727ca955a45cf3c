import { afterAll, beforeAll } from 'vitest'
import { createTarget, type DatabaseKind } from '../../../test/support/databases.ts'
import { encryptionKey } from './encryption-key.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../src/index.ts'

export interface TestSandbox {
  sandbox: Sandbox
  options: SandboxOptions
  /** Of the first account. */
  key: string
  /** What the sandbox said went wrong inside. */
  errors: unknown[]
  /** An answer of the API, by default with the key. */
  get(path: string, init?: RequestInit & { key?: string | null }): Promise<Answer>
  /** An action of the control page. */
  act(name: string, input?: unknown): Promise<Answer>
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it as they like
  body: any
}

/** Gives the describe block around it one running sandbox with a database of its own. */
export function useSandbox(
  options: SandboxOptions = {},
  kind: DatabaseKind = 'postgres',
): () => TestSandbox {
  let made: TestSandbox | undefined
  let drop: () => Promise<void> = async () => undefined
  beforeAll(async () => {
    const target = await createTarget(kind)
    drop = target.drop
    made = await startSandbox({ database: target.target, ...options })
  })
  afterAll(async () => {
    await made?.sandbox.stop()
    await drop()
    // Whatever is sent, nothing of it may be an error of the sandbox's own.
    if (made && made.errors.length > 0) throw made.errors[0]
  })
  return () => {
    if (!made) throw new Error('the sandbox starts in beforeAll, and this was before it')
    return made
  }
}

export async function startSandbox(options: SandboxOptions): Promise<TestSandbox> {
  const errors: unknown[] = []
  const all = {
    port: 0,
    onError: (error: unknown) => errors.push(error),
    encryptionKey,
    ...options,
  }
  const sandbox = createSandbox(all)
  await sandbox.start()
  const { key } = await sandbox.control.createKey({ accountId: 'acct_sandbox', name: 'tests' })
  return {
    sandbox,
    options: all,
    key,
    errors,
    async get(path, { key: given = key, ...init } = {}) {
      const headers = new Headers(init.headers)
      if (given !== null) headers.set('authorization', `Bearer ${given}`)
      return await toAnswer(await fetch(sandbox.url + path, { ...init, headers }))
    },
    async act(name, input = {}) {
      const answer = await fetch(`${sandbox.url}/_sandbox/api/${name}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${sandbox.session}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(input),
      })
      return await toAnswer(answer)
    },
  }
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const body = isJson && text !== '' ? JSON.parse(text) : undefined
  return { status: response.status, headers: response.headers, text, body }
}
