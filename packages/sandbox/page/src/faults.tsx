import { Action, LiveScreen, Section, spell, useLive } from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { ActionForm } from './action-form.tsx'
import { call } from './api.ts'
import { toChoices, useChoices } from './deliveries.tsx'
import { Lines } from './lines.tsx'

export function Faults() {
  const choices = useChoices()
  const load = () =>
    Promise.all([
      call('listDeliveryFaults', {}),
      call('listApiFaults', {}),
      call('listDestinations', {}),
    ])
  return (
    <LiveScreen
      title="Faults"
      lead="Inject the faults of real services, and see how your app handles them."
      load={load}
    >
      {([deliveryRules, apiRules, destinations]) => (
        <>
          <Section title="Deliveries">
            <Lines none="No delivery faults. Add one below, or press f to make the next delivery fail.">
              {deliveryRules.map(({ id, fault, destinationId, timesLeft }) => (
                <Rule
                  key={id}
                  what={fault}
                  where={destinationId ?? 'every destination'}
                  timesLeft={timesLeft}
                  remove={() => call('deleteDeliveryFault', { id })}
                />
              ))}
            </Lines>
            <div class="panel">
              {choices && <NewDeliveryFault choices={choices} destinations={destinations} />}
            </div>
          </Section>
          <Section title="API responses">
            <Lines none="No API faults. Add one below.">
              {apiRules.map(({ id, fault, surface, timesLeft }) => (
                <Rule
                  key={id}
                  what={apiFaultName(fault)}
                  where={surface}
                  timesLeft={timesLeft}
                  remove={() => call('deleteApiFault', { id })}
                />
              ))}
            </Lines>
            <div class="panel">{choices && <NewApiFault choices={choices} />}</div>
          </Section>
        </>
      )}
    </LiveScreen>
  )
}

interface RuleProps {
  what: string
  where: string
  timesLeft: number | null
  remove: () => Promise<unknown>
}

function Rule({ what, where, timesLeft, remove }: RuleProps) {
  const often =
    timesLeft === null ? 'always' : timesLeft === 1 ? 'once more' : `${timesLeft} more times`
  return (
    <li>
      <span>
        <strong>{spell(what)}</strong> {where}, {often}
      </span>
      <Action label="Remove" look="quiet" run={remove} />
    </li>
  )
}

function apiFaultName(fault: ActionAnswer<'listApiFaults'>[number]['fault']): string {
  if (fault.kind === 'status') return `status ${fault.status}`
  return fault.kind === 'delay' ? `delay ${fault.ms} ms` : fault.kind
}

const times = { label: 'How often', placeholder: 'always' }

interface NewFaultProps {
  choices: ActionAnswer<'readChoices'>
  destinations: ActionAnswer<'listDestinations'>
}

function NewDeliveryFault({ choices: { deliveryFaults }, destinations }: NewFaultProps) {
  const faultOf = (chosen?: string) => deliveryFaults.find(({ name }) => name === chosen)
  return (
    <ActionForm
      name="createDeliveryFault"
      label="Add"
      isKept
      fields={{
        fault: {},
        destinationId: { label: 'Destination', choices: [['', 'all'], ...toChoices(destinations)] },
        times,
      }}
    >
      {({ fault }) => <p class="hint wide">{(faultOf(fault) ?? deliveryFaults[0])?.does}</p>}
    </ActionForm>
  )
}

function NewApiFault({ choices: { apiFaults } }: Pick<NewFaultProps, 'choices'>) {
  const kinds = new Map<string, readonly string[]>(Object.entries(apiFaults))
  return (
    <ActionForm
      name="createApiFault"
      label="Add"
      isKept
      fields={({ surface = 'events' }) => ({
        surface: { label: 'Address', value: 'events' },
        'fault.kind': {
          label: 'Fault',
          value: 'status',
          choices: (kinds.get(surface) ?? []).map((kind) => [kind, spell(kind)]),
        },
        'fault.status': { value: 503 },
        'fault.ms': { label: 'Delay in ms', value: 1000 },
        times,
      })}
    />
  )
}

/**
 * Makes the next delivery fail: with a status from something in front of the app, or with a fault
 * of the service.
 */
export function NextFaultForm({ onDone }: { onDone: () => void }) {
  const destinations = useLive('destinations', () => call('listDestinations', {})).answer ?? []
  const choices = useChoices()
  if (!choices) return null
  // A lasting fault would not affect only the next delivery.
  const faults = choices.deliveryFaults.filter(({ lasts }) => !lasts)
  const isStatus = ({ name }: { name: string }) => name.startsWith('answer_')
  const ordered = [...faults.filter(isStatus), ...faults.filter((one) => !isStatus(one))]
  const doesOf = (chosen = 'answer_503') => faults.find(({ name }) => name === chosen)?.does
  return (
    <ActionForm
      name="createDeliveryFault"
      label="Make it fail"
      isFocused
      fields={{
        fault: {
          label: 'Fails with',
          value: 'answer_503',
          choices: ordered.map(({ name }) => [name, spell(name.replace('answer_', 'status_'))]),
        },
        destinationId: { label: 'Destination', choices: [['', 'all'], ...toChoices(destinations)] },
      }}
      also={{ times: 1 }}
      onDone={({ fault }) => {
        onDone()
        return `The next delivery fails: ${spell(fault)}. See the screen Faults.`
      }}
    >
      {({ fault }) => <p class="hint wide">{doesOf(fault)}</p>}
    </ActionForm>
  )
}
