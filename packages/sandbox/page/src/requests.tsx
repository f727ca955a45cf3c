import { Check, Head, Shown, State, Table, useLive, withMore } from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { call } from './api.ts'
import { formatTime } from './times.tsx'

/** Every answered request, with why it was refused. */
export function Requests() {
  const [isRefusedOnly, setIsRefusedOnly] = useState(false)
  const live = useLive('requests', () => call('listRequests', { limit: 200 }))
  return (
    <>
      <Head title="Requests" />
      <p class="lead">Every request to the API and every change on this page, the newest first.</p>
      <Check
        label="Only what was refused"
        onChange={({ currentTarget }) => setIsRefusedOnly(currentTarget.checked)}
      />
      <Shown live={live}>
        {(requests) => (
          <Table
            label="Requests"
            head={['Status', 'Request', 'Key', 'Allowance', 'At']}
            rows={requests.filter(({ reason }) => reason !== null || !isRefusedOnly)}
            none="Nothing was asked yet."
            cells={cellsOf}
          />
        )}
      </Shown>
    </>
  )
}

function cellsOf(request: ActionAnswer<'listRequests'>[number]) {
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
