import type { EntryDetails, EntryRevision } from '@feed-receiver/inbox'
import { type Choice, Section, Select } from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'
import { Compare, toSortedJson } from './compare.tsx'
import { changes } from './words.tsx'

type Version = Omit<EntryRevision, 'replacedAt'>

/** An event before and after each change, side by side. */
export function Revisions({ entry }: { entry: EntryDetails }) {
  const { revision, revisions, via, change, event } = entry
  const versions: Version[] = [...revisions, { revision, via, change, event }]
  const [chosen, setChosen] = useState<number | null>(null)
  if (revision === 1) return null
  const behind = versions.findIndex((one) => one.revision === (chosen ?? revision))
  const [before, after] = [versions[behind - 1], versions[behind]]
  const choices = versions
    .slice(1)
    .map((one): Choice => [
      String(one.revision),
      `${one.revision - 1} to ${one.revision}: ${changes[one.change]}`,
    ])
  const select = (
    <Select
      aria-label="Change shown"
      choices={choices}
      chosen={String(chosen ?? revision)}
      onChoose={(value) => setChosen(Number(value))}
    />
  )
  return (
    <Section title="Revisions" beside={choices.length > 1 && select}>
      {before && after ? (
        <Pair before={before} after={after} />
      ) : (
        <p class="empty">
          This is revision {revision}: {changes[change]}. Its earlier content is not stored.
        </p>
      )}
    </Section>
  )
}

function Pair({ before, after }: { before: Version; after: Version }) {
  if (before.event === null || after.event === null) {
    const { revision } = before.event === null ? before : after
    return <p class="empty">Retention has deleted the content of revision {revision}.</p>
  }
  return (
    <Compare
      titles={[
        `Revision ${before.revision}, by ${before.via}`,
        `Revision ${after.revision}, by ${after.via}: ${changes[after.change]}`,
      ]}
      texts={[toSortedJson(before.event), toSortedJson(after.event)]}
      whenSame="Both have the same content."
      isShort
    />
  )
}
