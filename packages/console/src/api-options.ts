import type { Access } from './access.ts'
import type { ConsoleInbox } from './console-inbox.ts'

/** What every call of the page has to do with. */
export interface ApiOptions {
  inbox: ConsoleInbox
  access: Access
  readOnly: boolean
  title: string
  onError: (error: unknown) => void
}
