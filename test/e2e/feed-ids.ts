import type { Sandbox } from '@feed-receiver/sandbox'

/** What a reader of a sandbox must end up with: every event that is not an early signal, by id. */
export async function feedIds(control: Sandbox['control']): Promise<string[]> {
  const { events } = await control.export()
  return (events as { id: string; confirmationState: string }[])
    .filter(({ confirmationState }) => confirmationState === 'confirmed')
    .map(({ id }) => id)
    .toSorted()
}
