import { Field } from '@feed-receiver/page-kit'
import { ActionForm } from './action-form.tsx'

/** Publishes an event. Missing members are made up. */
export function ComposeForm({ onDone }: { onDone?: () => void }) {
  return (
    <ActionForm
      name="composeEvent"
      label="Publish"
      isFocused={onDone !== undefined}
      fields={{
        eventType: { value: 'release_note' },
        providerSlug: {},
        confirmationState: { label: 'Confirmation' },
        title: { placeholder: 'generated' },
      }}
      prepare={(input, { more }) => ({ ...input, ...readJson(more) })}
      onDone={({ title }) => {
        onDone?.()
        return `Published: ${title}`
      }}
    >
      {() => (
        <details class="wide">
          <summary>Other members</summary>
          <Field label="As JSON" control={textarea} />
        </details>
      )}
    </ActionForm>
  )
}

const textarea = (id: string) => (
  <textarea id={id} name="more" rows={4} placeholder={'{"category": "models"}'} />
)

function readJson(written: string | undefined): object {
  if (!written?.trim()) return {}
  try {
    return JSON.parse(written)
  } catch {
    throw new Error('The other members are not valid JSON. Correct them, or leave them out.')
  }
}
