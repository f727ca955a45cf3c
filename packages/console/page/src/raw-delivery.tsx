import type { EntryDetails } from '@feed-receiver/inbox'
import {
  Copy,
  Facts,
  Untrusted,
  formatPlural,
  Section,
  Segments,
  toPretty,
} from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'

type Signed = Pick<EntryDetails, 'bodyBase64' | 'sha256' | 'headers'>

const parts = [
  ['pretty', 'Body'],
  ['exact', 'Exact'],
  ['headers', 'Headers'],
] as const

/** The exact signed bytes, and the stored headers without the signature. */
export function RawDelivery({ bodyBase64, sha256, headers }: Signed) {
  const [part, setPart] = useState('pretty')
  const bytes = bodyBase64 === null ? null : fromBase64(bodyBase64)
  const text = bytes && toText(bytes)
  const beside = (
    <>
      <Segments label="Show" choices={parts} value={part} onChoose={setPart} />
      {text !== null && <Copy label="Copy body" text={() => text} />}
    </>
  )
  return (
    <Section title="Signed content" beside={beside}>
      {part === 'headers' ? (
        <Headers headers={headers} />
      ) : (
        <Body text={text} isPretty={part === 'pretty'} />
      )}
      {bytes && sha256 !== null && (
        <p class="hint">
          {formatPlural(bytes.length, 'byte', 'bytes')}, SHA-256 <code>{sha256}</code>
        </p>
      )}
    </Section>
  )
}

function Body({ text, isPretty }: { text: string | null; isPretty: boolean }) {
  if (text === null) return <p class="empty">Retention has deleted the bytes. The hash stays.</p>
  return (
    <pre class="raw" tabIndex={0} aria-label="Body">
      {isPretty ? (toPretty(text) ?? text) : text}
    </pre>
  )
}

function Headers({ headers }: { headers: Record<string, string> }) {
  const pairs = Object.entries(headers)
  if (pairs.length === 0) return <p class="empty">No headers are stored.</p>
  return (
    <Facts look="lines" facts={pairs.map(([name, value]) => [name, <Untrusted text={value} />])} />
  )
}

export function fromBase64(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** Decodes UTF-8. Invalid bytes become replacement characters. */
export function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
