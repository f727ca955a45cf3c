import { chooseType } from '../../src/dev/choose-type.ts'
import type { ViewAnswer } from '../../../console/src/views.ts'

let offered = chooseType([])

/** Remembers a type that the app handles, as far as its newest entries show it. */
export function offerHandled(entries: ViewAnswer<'entries'>['entries']): void {
  offered = chooseType(entries)
}

/** The type that the dialog for a new event offers first. */
export function handledType(): string {
  return offered
}
