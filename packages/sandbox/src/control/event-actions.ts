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
  listEvents: action({
    description: 'Lists events as they are now, the newest place in the feed first.',
    input: page,
    run: ({ database }, given) => findNewestEvents(database, given),
  }),
  findEvent: action({
    description: 'Finds an event, with the timeline of its incident.',
    input: z.object({ id: serviceEvent.shape.id }),
    finds: 'event',
    run: ({ database }, { id }) => findDetailedEvent(database, id),
  }),
  composeEvent: action({
    description: 'Publishes an event now; a member that is left out is made up.',
    input: eventDraft.extend({
      eventType: eventType.optional().meta({ title: 'Type', examples: choices.eventTypes }),
      providerSlug: providerSlug
        .optional()
        .meta({ title: 'Provider', examples: choices.providers }),
    }),
    run: (context, draft) => composeEvent(context, draft),
  }),
  changeEvent: action({
    description: 'Confirms, corrects or retracts an event.',
    input: eventChange,
    run: (context, change) => changeEvent(context, change),
  }),
  composeAccountEvent: action({
    description: 'Publishes a private event of an account; a member that is left out is made up.',
    input: accountEventDraft.extend({ accountId: accountId.meta({ title: 'Account' }) }),
    run: (context, { accountId: id, ...draft }) => composeAccountEvent(context, id, draft),
  }),
  changeAccountEvent: action({
    description: 'Corrects or retracts a private event.',
    input: accountEventChange,
    run: (context, change) => changeAccountEvent(context, change),
  }),
}
