import type { Sandbox } from '@feed-receiver/sandbox'

/** The ids that a reader of a sandbox must have at the end: all events except early signals. */
export async function feedIds(control: Sandbox['control']): Promise<string[]> {
  const { events } = await control.export()
  return (events as { id: string; confirmationState: string }[])
    .filter(({ confirmationState }) => confirmationState === 'confirmed')
    .map(({ id }) => id)
    .toSorted()
}
