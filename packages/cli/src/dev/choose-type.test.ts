import { expect, it } from 'vitest'
import { chooseType } from './choose-type.ts'

const entry = (
  type: string,
  state: 'done' | 'skipped' | 'dead' | 'received',
  job?: 'retrying',
) => ({
  type,
  state,
  job: job ? { state: job, attempts: 1, maxAttempts: 11, lastError: null } : null,
})

it.each([
  ['one that the templates handle, before any event', [], 'outage_started'],
  ['the same if it was handled', [entry('outage_started', 'done')], 'outage_started'],
  ['another if it was skipped', [entry('outage_started', 'skipped')], 'model_release'],
  [
    'one that was handled if all others were skipped',
    [
      entry('destination_test', 'skipped'),
      entry('model_release', 'skipped'),
      entry('outage_started', 'skipped'),
      entry('price_change', 'done'),
    ],
    'price_change',
  ],
  [
    'one whose handler fails',
    [
      entry('outage_started', 'skipped'),
      entry('model_release', 'skipped'),
      entry('status_note', 'received', 'retrying'),
    ],
    'status_note',
  ],
  [
    'one that has a handler by now',
    [entry('outage_started', 'done'), entry('outage_started', 'skipped')],
    'outage_started',
  ],
])('offers %s', (_, entries, type) => {
  expect(chooseType(entries)).toBe(type)
})
