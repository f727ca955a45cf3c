import { Action, Head, Shown, spell, useLive } from '@feed-receiver/page-kit'
import type { Choice, Values } from '@feed-receiver/page-kit'
import type { ComponentChildren, VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { ActionForm } from './action-form.tsx'
import { call } from './api.ts'
import { toChoices } from './deliveries.tsx'

/** What is to go wrong. */
export function Faults() {
  const live = useLive('faults', async () => {
    const [deliveryRules, apiRules, destinations] = await Promise.all([
      call('listDeliveryFaults', {}),
      call('listApiFaults', {}),
      call('listDestinations', {}),
    ])
    return { deliveryRules, apiRules, destinations }
  })
  const choices = useLive('choices', () => call('readChoices', {}), 60_000).answer
  return (
    <>
      <Head title="Faults" />
      <p class="lead">
        Have the service do wrong what services do wrong, and see what your app makes of it.
      </p>
      <Shown live={live}>
        {({ deliveryRules, apiRules, destinations }) => (
          <>
            <Rules
              title="Deliveries"
              none="Every delivery is as it should be."
              form={choices && <NewDeliveryFault choices={choices} destinations={destinations} />}
            >
              {deliveryRules.map(({ id, fault, destinationId, timesLeft }) => (
                <Rule
                  key={id}
                  what={fault}
                  where={destinationId ?? 'every destination'}
                  timesLeft={timesLeft}
                  remove={() => call('deleteDeliveryFault', { id })}
                />
              ))}
            </Rules>
            <Rules
              title="Answers of the API"
              none="Every answer is as it should be."
              form={choices && <NewApiFault choices={choices} />}
            >
              {apiRules.map(({ id, fault, surface, timesLeft }) => (
                <Rule
                  key={id}
                  what={describe(fault)}
                  where={surface}
                  timesLeft={timesLeft}
                  remove={() => call('deleteApiFault', { id })}
                />
              ))}
            </Rules>
          </>
        )}
      </Shown>
    </>
  )
}

interface RulesProps {
  title: string
  none: string
  form: ComponentChildren
  children: VNode[]
}

function Rules({ title, none, form, children }: RulesProps) {
  return (
    <section>
      <h2>{title}</h2>
      {children.length === 0 ? <p class="empty">{none}</p> : <ul class="lines">{children}</ul>}
      <div class="panel">{form}</div>
    </section>
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
    timesLeft === null ? 'always' : timesLeft === 1 ? 'once more' : `${timesLeft} times more`
  return (
    <li>
      <span>
        <strong>{spell(what)}</strong> {where}, {often}
      </span>
      <Action label="Remove" look="quiet" run={remove} />
    </li>
  )
}

function describe(fault: ActionAnswer<'listApiFaults'>[number]['fault']): string {
  if (fault.kind === 'status') return `status ${fault.status}`
  return fault.kind === 'delay' ? `delay ${fault.ms} ms` : fault.kind
}

const times = { label: 'How often', placeholder: 'always' }

interface NewDeliveryFaultProps {
  choices: ActionAnswer<'readChoices'>
  destinations: ActionAnswer<'listDestinations'>
}

function NewDeliveryFault({ choices, destinations }: NewDeliveryFaultProps) {
  const { deliveryFaults } = choices
  const [said, setSaid] = useState<Values>({})
  const chosen = deliveryFaults.find(({ name }) => name === said['fault']) ?? deliveryFaults[0]
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
      onInput={setSaid}
    >
      <p class="hint wide">{chosen?.does}</p>
    </ActionForm>
  )
}

function NewApiFault({ choices: { apiFaults } }: Pick<NewDeliveryFaultProps, 'choices'>) {
  const [said, setSaid] = useState<Values>({})
  const { surface = 'events' } = said
  const kinds = Object.entries(apiFaults).find(([name]) => name === surface)?.[1] ?? []
  return (
    <ActionForm
      name="createApiFault"
      label="Add"
      isKept
      fields={{
        surface: { label: 'Address', value: 'events' },
        'fault.kind': {
          label: 'Fault',
          value: 'status',
          choices: kinds.map((kind): Choice => [kind, spell(kind)]),
        },
        'fault.status': { value: 503 },
        'fault.ms': { label: 'Delay in ms', value: 1000 },
        times,
      }}
      onInput={setSaid}
    />
  )
}
