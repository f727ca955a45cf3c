import {
  Action,
  type Choice,
  Choose,
  Field,
  Form,
  LiveScreen,
  Section,
  spell,
  toNumber,
  useFirstFocus,
  useLive,
  type Values,
} from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { call, submit } from './api.ts'
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

type Choices = ActionAnswer<'readChoices'>

interface NewFaultProps {
  choices: Choices
  destinations: ActionAnswer<'listDestinations'>
}

function NewDeliveryFault({ choices: { deliveryFaults }, destinations }: NewFaultProps) {
  const [{ fault }, setValues] = useState<Values>({})
  return (
    <Form label="Add" isKept onInput={setValues} submit={addDeliveryFault}>
      <Choose
        label="Fault"
        name="fault"
        choices={deliveryFaults.map(({ name }) => [name, spell(name)])}
      />
      <DestinationField destinations={destinations} />
      <TimesField />
      <Hint faults={deliveryFaults} chosen={fault} />
    </Form>
  )
}

async function addDeliveryFault({ times, ...values }: Values): Promise<void> {
  await submit('createDeliveryFault', values, { times: toNumber(times) })
}

function DestinationField({ destinations }: Pick<NewFaultProps, 'destinations'>) {
  const choices: Choice[] = [['', 'all'], ...toChoices(destinations)]
  return <Choose label="Destination" name="destinationId" choices={choices} />
}

function TimesField() {
  return <Field label="How often" name="times" type="number" min="1" placeholder="always" />
}

/** What the chosen fault does; at first that is the first one. */
function Hint({
  faults,
  chosen,
}: {
  faults: Choices['deliveryFaults']
  chosen?: string | undefined
}) {
  const fault = faults.find(({ name }) => name === chosen) ?? faults[0]
  return <p class="hint wide">{fault?.does}</p>
}

function NewApiFault({ choices: { apiFaults } }: Pick<NewFaultProps, 'choices'>) {
  const [{ surface = 'events', kind }, setValues] = useState<Values>({})
  const kinds = new Map<string, readonly string[]>(Object.entries(apiFaults)).get(surface) ?? []
  // Another address may not have the chosen fault. Then the browser shows the first one.
  const shown = kinds.find((one) => one === kind) ?? kinds[0]
  return (
    <Form label="Add" isKept onInput={setValues} submit={addApiFault}>
      <Choose label="Address" name="surface" choices={Object.keys(apiFaults).map(toSpelled)} />
      <Choose label="Fault" name="kind" choices={kinds.map(toSpelled)} />
      {shown === 'status' && (
        <Choose label="Status" name="status" choices={statuses} chosen="503" />
      )}
      {shown === 'delay' && (
        <Field label="Delay in ms" name="ms" type="number" min="1" defaultValue="1000" required />
      )}
      <TimesField />
    </Form>
  )
}

const toSpelled = (name: string): Choice => [name, spell(name)]

const statuses = [
  ['500', '500'],
  ['503', '503'],
] as const

async function addApiFault({ surface = '', kind, status, ms, times }: Values): Promise<void> {
  const fault = { kind, status: toNumber(status), ms: toNumber(ms) }
  await submit('createApiFault', { surface }, { fault, times: toNumber(times) })
}

/**
 * Makes the next delivery fail: with a status from something in front of the app, or with a fault
 * of the service.
 */
export function NextFaultForm({ onDone }: { onDone: () => void }) {
  const destinations = useLive('destinations', () => call('listDestinations', {})).answer ?? []
  const choices = useChoices()
  const [{ fault: chosen = 'answer_503' }, setValues] = useState<Values>({})
  useFirstFocus(choices !== null)
  if (!choices) return null
  // A lasting fault would not affect only the next delivery.
  const faults = choices.deliveryFaults.filter(({ lasts }) => !lasts)
  const isStatus = ({ name }: { name: string }) => name.startsWith('answer_')
  const ordered = [...faults.filter(isStatus), ...faults.filter((one) => !isStatus(one))]
  const add = async (values: Values) => {
    const { fault } = await submit('createDeliveryFault', values, { times: 1 })
    onDone()
    return `The next delivery fails: ${spell(fault)}. See the screen Faults.`
  }
  return (
    <Form label="Make it fail" onInput={setValues} submit={add}>
      <Choose
        label="Fails with"
        name="fault"
        choices={ordered.map(({ name }) => [name, spell(name.replace('answer_', 'status_'))])}
        chosen="answer_503"
      />
      <DestinationField destinations={destinations} />
      <Hint faults={faults} chosen={chosen} />
    </Form>
  )
}
