import { useId, useState } from 'preact/hooks'
import { fromBase64, toPretty, toText } from './bytes.ts'
import { Copy } from './copy.tsx'
import { Foreign } from './foreign.tsx'
import { formatPlural } from './numbers.ts'

export interface RawDeliveryProps {
  bodyBase64: string | null
  sha256: string | null
  headers: Record<string, string>
}

type Part = 'pretty' | 'exact' | 'headers'

/** What was signed, to the byte, and the headers that were kept; the signature is not among them. */
export function RawDelivery({ bodyBase64, sha256, headers }: RawDeliveryProps) {
  const [part, setPart] = useState<Part>('pretty')
  const id = useId()
  const bytes = bodyBase64 === null ? null : fromBase64(bodyBase64)
  const text = bytes && toText(bytes)
  return (
    <section aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>What was signed</h2>
        <div class="segments small" role="group" aria-label="Show">
          {(
            [
              ['pretty', 'Body'],
              ['exact', 'Exact'],
              ['headers', 'Headers'],
            ] as const
          ).map(([name, label]) => (
            <button key={name} aria-pressed={part === name} onClick={() => setPart(name)}>
              {label}
            </button>
          ))}
        </div>
        {text !== null && <Copy label="Copy body" text={() => text} />}
      </div>
      {part === 'headers' ? <Headers headers={headers} /> : <Body text={text} part={part} />}
      {bytes && sha256 !== null && (
        <p class="hint">
          {formatPlural(bytes.length, 'byte', 'bytes')}, SHA-256 <code>{sha256}</code>
        </p>
      )}
    </section>
  )
}

function Body({ text, part }: { text: string | null; part: 'pretty' | 'exact' }) {
  if (text === null) return <p class="empty">Retention has emptied the bytes; the hash stays.</p>
  return (
    <pre class="raw" tabIndex={0} aria-label="Body">
      {part === 'pretty' ? (toPretty(text) ?? text) : text}
    </pre>
  )
}

function Headers({ headers }: { headers: Record<string, string> }) {
  const names = Object.keys(headers)
  if (names.length === 0) return <p class="empty">No headers are kept.</p>
  return (
    <dl class="headers">
      {names.map((name) => (
        <div key={name}>
          <dt>
            <Foreign text={name} />
          </dt>
          <dd>
            <Foreign text={headers[name] ?? ''} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
