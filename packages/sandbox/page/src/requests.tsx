import { Check, LiveScreen, State, Table, withMore } from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { call } from './api.ts'
import { formatTime } from './times.tsx'

export function Requests() {
  const [isRejectedOnly, setIsRejectedOnly] = useState(false)
  return (
    <LiveScreen
      title="Requests"
      lead="Every request to the API and every change on this page, newest first."
      top={() => (
        <Check
          label="Only rejected"
          onChange={({ currentTarget }) => setIsRejectedOnly(currentTarget.checked)}
        />
      )}
      load={() => call('listRequests', { limit: 200 })}
    >
      {(requests) => (
        <Table
          label="Requests"
          head={['Status', 'Request', 'Key', 'Allowance', 'At']}
          rows={requests.filter(({ reason }) => reason !== null || !isRejectedOnly)}
          none={
            isRejectedOnly
              ? 'No request was rejected.'
              : 'No requests yet. Request /v1/events with a key from the screen Accounts.'
          }
          cells={requestCells}
        />
      )}
    </LiveScreen>
  )
}

function requestCells(request: ActionAnswer<'listRequests'>[number]) {
  const { status, method, path, reason, detail, keyDisplay, charged, at } = request
  const why = reason !== null && [<strong>{reason}</strong>, ' ', detail]
  return [
    <State name={status < 400 ? 'done' : 'dead'} label={String(status)} />,
    withMore(<code>{`${method} ${path}`}</code>, why),
    keyDisplay === null ? '–' : <code>{keyDisplay}</code>,
    charged ? 'charged' : '–',
    formatTime(at),
  ]
}
