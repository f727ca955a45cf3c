import { Facts } from '@feed-receiver/page-kit'
import { ActionForm, type FieldLook } from './action-form.tsx'
import { DestinationTools } from './destination-tools.tsx'
import { WhyPaused, type Destination } from './pause.tsx'
import { When } from './times.tsx'

/** The state of a destination with its reason, and the possible actions. */
export function DestinationDetails({ destination }: { destination: Destination }) {
  const { id, name, kind, address, state, stateChangedAt, newSecretAt, rules } = destination
  const all = (list: readonly string[]) => (list.length === 0 ? 'all' : list.join(', '))
  return (
    <>
      <p class="under">{kind === 'signed' ? address : `${kind} · ${address}`}</p>
      {state === 'paused' ? (
        <WhyPaused {...destination} />
      ) : (
        <p class="under">
          {state} since <When at={stateChangedAt} />
        </p>
      )}
      <Facts
        facts={[
          ['Providers', all(rules.providers)],
          ['Categories', all(rules.categories)],
          ['Types', all(rules.types)],
          ['Confirmation', rules.confirmation],
          newSecretAt !== null && ['New secret signs', <When at={newSecretAt} />],
        ]}
      />
      <DestinationTools {...destination} />
      <details>
        <summary>Change the rules</summary>
        <ActionForm
          name="changeDestination"
          label="Save"
          isKept
          fields={{ name: { value: name }, ...rulesOf(rules) }}
          also={{ id }}
        />
      </details>
    </>
  )
}

/** The fields of existing or new rules. */
export function rulesOf(rules?: Destination['rules'], look: FieldLook = {}) {
  const list = (value: string[] | undefined) => ({ value, placeholder: 'all', ...look })
  return {
    'rules.providers': list(rules?.providers),
    'rules.categories': list(rules?.categories),
    'rules.types': list(rules?.types),
    'rules.confirmation': { value: rules?.confirmation ?? 'confirmed', ...look },
  }
}
