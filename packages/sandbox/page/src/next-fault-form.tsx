import { spell, useLive } from '@feed-receiver/page-kit'
import { ActionForm } from './action-form.tsx'
import { call } from './api.ts'
import { toChoices, useChoices } from './deliveries.tsx'

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
