import { readFileSync } from 'node:fs'
import { createHmac } from 'node:crypto'

/**
 * The vectors of a test: all, where the code of the kit reads the bytes itself, or only those with
 * `everywhere`, which show that a framework or a platform passes on what it got.
 */
export type Vectors = 'all' | 'everywhere'

export interface BodyVector {
  says: string
  outcome: 'stored' | 'not_json' | 'not_an_event' | 'unknown_schema_version'
  rewritten: boolean
  body: Buffer
}

interface BodyRow {
  says: string
  everywhere?: true
  outcome: BodyVector['outcome']
  rewritten?: boolean
  text?: string
  hex?: string
  member?: Record<string, string>
}

/** The bodies of `bodies.json`, as bytes. */
export function bodyVectors(which: Vectors = 'all'): BodyVector[] {
  const { vectors } = read<{ vectors: BodyRow[] }>('bodies.json')
  return vectors.filter(isOf(which)).map(({ says, outcome, rewritten = false, text = '', hex, member }, index) => ({
    says,
    outcome,
    rewritten,
    body: hex
      ? Buffer.from(hex, 'hex')
      : Buffer.from(expand(member ? eventText(`evt_vector_${index}`, member) : text)),
  }))
}

export interface HeaderVector {
  says: string
  everywhere?: true
  header: string
}

/** The header forms of `signature-headers.json`, with values for one body signed at one time. */
export function headerVectors(
  options: { secret: string; timestampSeconds: number; body: Buffer },
  which: Vectors = 'all',
): { accepted: HeaderVector[]; malformed: HeaderVector[] } {
  const { secret, timestampSeconds: t, body } = options
  const sig = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
  const bad = 'ab'.repeat(32)
  const fill = ({ says, header }: HeaderVector) => ({
    says,
    header: header
      .replaceAll('{t}', String(t))
      .replaceAll('{sig}', sig)
      .replaceAll('{SIG}', sig.toUpperCase())
      .replaceAll('{bad}', bad)
      .replaceAll('{bad63}', bad.slice(1)),
  })
  const rows = read<{ accepted: HeaderVector[]; malformed: HeaderVector[] }>(
    'signature-headers.json',
  )
  const fillAll = (vectors: HeaderVector[]) => vectors.filter(isOf(which)).map(fill)
  return { accepted: fillAll(rows.accepted), malformed: fillAll(rows.malformed) }
}

function isOf(which: Vectors) {
  return ({ everywhere }: { everywhere?: true }) => which === 'all' || everywhere === true
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T
}

// Raw JSON text, because some vectors are JSON that no serializer writes.
function eventText(id: string, members: Record<string, string>): string {
  const raw = (name: string, usual: string) => `"${name}":${members[name] ?? usual}`
  const data = [
    raw('provider', '"northwind-ai"'),
    raw('category', '"models"'),
    raw('subject', '{"type":"model","key":"northwind-1"}'),
    raw('title', '"A title"'),
    raw('summary', 'null'),
    raw('evidence', '"documented"'),
    raw('confirmation', '"confirmed"'),
    raw('source_url', '"https://northwind-ai.example/changelog"'),
    raw('source_published_at', 'null'),
  ]
  const envelope = [
    raw('schema_version', '"1.0"'),
    raw('id', `"${id}"`),
    raw('type', '"model_release"'),
    raw('created_at', '"2026-11-02T10:00:00Z"'),
    `"data":{${data.join(',')}}`,
  ]
  return `{${envelope.join(',')}}`
}

function expand(text: string): string {
  return text
    .replace(/\{nest:(\d+)\}/, (_, depth) => '['.repeat(Number(depth)) + ']'.repeat(Number(depth)))
    .replace(/\{open:(\d+)\}/, (_, depth) => '['.repeat(Number(depth)))
    .replace(/\{long:(\d+)\}/, (_, length) => 'i'.repeat(Number(length)))
    .replace(/\{props:(\d+)\}/, (_, count) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: Number(count) }, (_value, i) => [`p${i}`, i]))),
    )
}
