import { AskFirst, LiveScreen } from '@feed-receiver/page-kit'
import { ActionForm } from './action-form.tsx'
import { call } from './api.ts'

const cursors = [
  ['tail', 'to later events only'],
  ['replay', 'through all history'],
] as const

export function SettingsScreen() {
  return (
    <LiveScreen title="Settings and reset" load={() => call('readSettings', {})}>
      {({ firstCursor, moveChanged }) => (
        <>
          <div class="panel">
            <h2>Settings</h2>
            <ActionForm
              name="changeSettings"
              label="Save"
              isKept
              fields={{
                firstCursor: {
                  label: 'The cursor of a first page leads',
                  value: firstCursor,
                  choices: cursors,
                },
                moveChanged: {
                  label: 'Changed events get a new position in the feed',
                  value: moveChanged,
                },
              }}
              onDone={() => 'Saved.'}
            />
            <p class="hint">
              These last until the sandbox stops. The next start uses its options again.
            </p>
          </div>
          <div class="panel">
            <h2>Export</h2>
            <p>
              Contains the clock, the accounts, events with their changes, and private events.
              Contains no keys or secrets.
            </p>
            <div class="tools">
              <a class="button" href="./api/export" download="sandbox.json">
                Export as JSON
              </a>
            </div>
          </div>
          <div class="panel">
            <h2>Reset</h2>
            <p>Starts the feed again with its history, and resets the allowances.</p>
            <div class="tools">
              <AskFirst label="Reset" question="Reset the sandbox?" look="danger" onYes={reset}>
                Events, deliveries and the journals of requests and destinations are deleted.
                Accounts, keys, destinations, fault rules and the clock stay.
              </AskFirst>
            </div>
          </div>
        </>
      )}
    </LiveScreen>
  )
}

async function reset(): Promise<string> {
  await call('reset', {})
  return 'Reset. The feed starts again with its history.'
}
