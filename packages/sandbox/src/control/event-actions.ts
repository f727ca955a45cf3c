import { z } from 'zod'
import {
  accountEventChange,
  accountEventDraft,
  changeAccountEvent,
  composeAccountEvent,
} from '../account-events/compose-account-event.ts'
import { changeEvent, eventChange, composeEvent, eventDraft } from '../events/compose-event.ts'
import { findDetailedEvent, findNewestEvents } from '../events/find-events.ts'
import { accountId } from '../state/accounts.ts'
import { serviceEvent } from '../state/service-event.ts'
import { page } from '../state/fields.ts'
import { action } from './action.ts'
import { choices } from './choices.ts'

const { eventType, providerSlug } = serviceEvent.shape

export const eventActions = {
  listEvents: action(page, ({ database }, given) => findNewestEvents(database, given)),
  findEvent: action(
    z.object({ id: serviceEvent.shape.id }),
    ({ database }, { id }) => findDetailedEvent(database, id),
    { finds: 'event' },
  ),
  composeEvent: action(
    eventDraft.extend({
      eventType: eventType.optional().meta({ title: 'Type', examples: choices.eventTypes }),
      providerSlug: providerSlug
        .optional()
        .meta({ title: 'Provider', examples: choices.providers }),
    }),
    (context, draft) => composeEvent(context, draft),
  ),
  changeEvent: action(eventChange, changeEvent),
  composeAccountEvent: action(
    accountEventDraft.extend({ accountId: accountId.meta({ title: 'Account' }) }),
    (context, { accountId: id, ...draft }) => composeAccountEvent(context, id, draft),
  ),
  changeAccountEvent: action(accountEventChange, changeAccountEvent),
}
