import { AskFirst, Check, Choose, Form, LiveScreen, type Values } from '@feed-receiver/page-kit'
import { call, submit } from './api.ts'

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
            <Form label="Save" isKept submit={save}>
              <Choose
                label="The cursor of a first page leads"
                name="firstCursor"
                choices={cursors}
                chosen={firstCursor}
              />
              <div class="checks wide">
                <Check
                  label="Changed events get a new position in the feed"
                  name="moveChanged"
                  defaultChecked={moveChanged}
                />
              </div>
            </Form>
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

async function save({ moveChanged, ...values }: Values): Promise<string> {
  await submit('changeSettings', values, { moveChanged: moveChanged !== undefined })
  return 'Saved.'
}

async function reset(): Promise<string> {
  await call('reset', {})
  return 'Reset. The feed starts again with its history.'
}
