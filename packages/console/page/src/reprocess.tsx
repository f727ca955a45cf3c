import { Choose, formatPlural, type Query } from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'
import type { Reprocessable } from '../../src/actions.ts'
import { act, reopen } from './api.ts'
import { ReopenDialog } from './reopen-dialog.tsx'
import texts from './texts.json' with { type: 'json' }

type Target = { ids: string[] } | { filter: Query }

/** Requeues done or skipped entries, after it has counted them and asked once. */
export function Reprocess({ label, target }: { label: string; target: Target }) {
  // The target as it was when the dialog opened, because a period that counts back from now moves
  // on.
  const [kept, setKept] = useState<Target | null>(null)
  return (
    <>
      <button onClick={() => setKept(target)}>{label}</button>
      {kept && <ReprocessDialog target={kept} onClose={() => setKept(null)} />}
    </>
  )
}

function ReprocessDialog({ target, onClose }: { target: Target; onClose: () => void }) {
  const [effects, setEffects] = useState('keep')
  const [found, setFound] = useState<Reprocessable | null>(null)
  const count = async () => {
    const reprocessable = await act<Reprocessable>('countreprocessable', target)
    setFound(reprocessable)
    return reprocessable.count
  }
  return (
    <ReopenDialog
      verb="Reprocess"
      count={count}
      reopen={(onProgress, signal) => {
        const said = { ...target, effects, handledBefore: found?.handledBefore }
        return reopen('reprocess', said, onProgress, signal)
      }}
      onClose={onClose}
    >
      <p>
        The handler of each entry runs again, and can see that it is reprocessed. Your name is
        recorded.
      </p>
      {found && !found.isExact && <p>There are more entries than this count.</p>}
      {found && found.emptied > 0 && (
        <p>
          {formatPlural(found.emptied, 'entry stays', 'entries stay')} unchanged, because retention
          has deleted the bytes.
        </p>
      )}
      <Choose
        label="Effects"
        choices={Object.entries(texts.effects)}
        chosen={effects}
        onChoose={setEffects}
      />
      <p class="hint">effects.once records effects outside the database, such as a sent message.</p>
    </ReopenDialog>
  )
}
