import { AskFirst, LiveScreen } from '@feed-receiver/page-kit'
import { ActionForm } from './action-form.tsx'
import { call } from './api.ts'

const cursors = [
  ['tail', 'to what comes after that page'],
  ['replay', 'to all history'],
] as const

/** The settings, export and reset of the whole sandbox. */
export function Everything() {
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
                  label: 'Changed events take a new place in the feed',
                  value: moveChanged,
                },
              }}
              onDone={() => 'Saved.'}
            />
            <p class="hint">Until the sandbox stops; it starts with its options again.</p>
          </div>
          <div class="panel">
            <h2>Export</h2>
            <p>
              Clock, accounts, events, what happened to them, and private events. No key and no
              secret is in it.
            </p>
            <div class="tools">
              <a class="button" href="./api/export" download="sandbox.json">
                Export as JSON
              </a>
            </div>
          </div>
          <div class="panel">
            <h2>Reset</h2>
            <p>
              Deletes events, private events, deliveries and the journals of requests and
              destinations, fills the feed with its history again, and begins new allowances.
              Accounts, keys, destinations, fault rules and the clock stay.
            </p>
            <div class="tools">
              <AskFirst label="Reset" question="Begin again?" look="danger" onYes={reset}>
                Events, deliveries and journals are deleted. Accounts, keys, destinations, fault
                rules and the clock stay.
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
  return 'The feed begins again with its history.'
}
