import type { Control } from '@feed-receiver/sandbox'

const accountId = 'acct_sandbox'
const name = 'feed-receiver sandbox'

/** Makes an API key for this run. Those of earlier runs that nobody ever used are revoked. */
export async function makeRunKey(control: Control): Promise<string> {
  const unused = (await control.listKeys()).filter(
    (key) => key.name === name && key.lastUsedAt === null && key.revokedAt === null,
  )
  for (const { id } of unused) await control.revokeKey({ id })
  return (await control.createKey({ accountId, name })).key
}
