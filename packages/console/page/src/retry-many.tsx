import type { Query } from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'
import { act, reopen } from './api.ts'
import { ReopenDialog } from './reopen-dialog.tsx'

/** Retries all entries that match a filter: counts them, asks once, and shows progress. */
export function RetryMany({ filter }: { filter: Query }) {
  // The filter as it was when the dialog opened, because a period that counts back from now moves
  // on.
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
            The handler of each entry runs again, as for a new event. Failing entries do not wait
            for their next attempt. Your name is recorded. Entries whose bytes retention has deleted
            stay unchanged.
          </p>
        </ReopenDialog>
      )}
    </>
  )
}
