import {
  Check,
  Dialog,
  Field,
  Untrusted,
  Segments,
  useLive,
  useTask,
} from '@feed-receiver/page-kit'
import { useContext, useState } from 'preact/hooks'
import { act, ask, Allowed } from './api.ts'

const scopes = [
  ['all', 'Everything'],
  ['types', 'Some types'],
] as const

/** Pauses the whole inbox or some types, with a reason that everybody sees. */
export function PauseButton() {
  const [isOpen, setIsOpen] = useState(false)
  if (useContext(Allowed).readOnly) return null
  return (
    <>
      <button onClick={() => setIsOpen(true)}>Pause …</button>
      {isOpen && <PauseDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}

function PauseDialog({ onClose }: { onClose: () => void }) {
  const { answer } = useLive('pausable', findPausable, 60_000)
  const [wanted, setScope] = useState('all')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [other, setOther] = useState('')
  const [force, setForce] = useState(false)
  const [reason, setReason] = useState('')
  const { isBusy, problem, run } = useTask()
  const isPaused = answer?.isPaused ?? false
  const scope = isPaused ? 'types' : wanted
  const types = [...chosen, other.trim()].filter((type) => type !== '')
  const isReady = reason.trim() !== '' && (scope === 'all' || types.length > 0)

  const pause = async () => {
    await act('pause', { reason: reason.trim(), ...(scope === 'types' && { types, force }) })
    onClose()
    return 'Paused. Workers claim no more of these events. Running handlers finish.'
  }
  const choose = (type: string, isChosen: boolean) =>
    setChosen((before) => (isChosen ? [...before, type] : before.filter((known) => known !== type)))

  return (
    <Dialog title="Pause handling?" onClose={onClose}>
      <form
        class="pausing"
        onSubmit={(event) => {
          event.preventDefault()
          void run(pause)
        }}
      >
        <p>
          {isPaused
            ? 'The whole inbox is already paused. Types that you pause here stay paused after it is resumed.'
            : 'Deliveries are still received and stored. Their handlers wait until somebody resumes them.'}{' '}
          Your name is recorded.
        </p>
        {!isPaused && (
          <Segments label="What to pause" choices={scopes} value={scope} onChoose={setScope} />
        )}
        {scope === 'types' && (
          <>
            {answer && answer.types.length > 0 && (
              <fieldset class="types">
                <legend>Types</legend>
                {answer.types.map((type) => (
                  <Check
                    key={type}
                    label={<Untrusted text={type} />}
                    defaultChecked={chosen.includes(type)}
                    onChange={({ currentTarget: { checked } }) => choose(type, checked)}
                  />
                ))}
              </fieldset>
            )}
            <Field
              label="Another type"
              hint="For example, one that has not been received yet."
              maxLength={500}
              value={other}
              onInput={({ currentTarget: { value } }) => setOther(value)}
            />
            {other.trim() !== '' && (
              <Check
                label="Force: pause it even if this type is unknown"
                defaultChecked={force}
                onChange={({ currentTarget: { checked } }) => setForce(checked)}
              />
            )}
          </>
        )}
        <Field
          label="Reason"
          hint="Everybody who opens this console sees it."
          required
          maxLength={500}
          value={reason}
          onInput={({ currentTarget: { value } }) => setReason(value)}
        />
        <p class="problem" role="alert">
          {problem}
        </p>
        <div class="tools">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="primary" disabled={isBusy || !isReady}>
            Pause
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** The received types that are not paused by name, and whether the whole inbox is paused. */
async function findPausable() {
  const [{ types }, { pauses }] = await Promise.all([ask('facets'), ask('pauses')])
  return {
    isPaused: pauses.some(({ type }) => type === null),
    types: types.filter((type) => !pauses.some((pause) => pause.type === type)),
  }
}
