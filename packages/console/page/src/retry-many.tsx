import type { Query } from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'
import { act, reopen } from './api.ts'
import { ReopenDialog } from './reopen-dialog.tsx'

/** Retries all that a filter finds: counts them, asks once, and says how far it is. */
export function RetryMany({ filter }: { filter: Query }) {
  // As it was when the dialog opened: the time it is counted back from goes on.
  const [kept, setKept] = useState<Query | null>(null)
  return (
    <>
      <button onClick={() => setKept(filter)}>Retry all …</button>
      {kept && (
        <ReopenDialog
          verb="Retry"
          count={async () =>
            (await act<{ count: number }>('countretriable', { filter: kept })).count
          }
          reopen={(onProgress, signal) => reopen('retry', { filter: kept }, onProgress, signal)}
          onClose={() => setKept(null)}
        >
          <p>
            Each is handed to its handler again, as if it came now. It is kept that you asked for
            it. Entries whose bytes retention has emptied stay as they are.
          </p>
        </ReopenDialog>
      )}
    </>
  )
}
