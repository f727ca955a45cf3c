import { isError, knownTypes } from '@feed-receiver/core'
import { z } from 'zod'
import {
  accountEventChange,
  accountEventDraft,
  changeAccountEvent,
  composeAccountEvent,
} from '../account-events/compose-account-event.ts'
import { changeEvent, eventChange, composeEvent, eventDraft } from '../events/compose-event.ts'
import { findDetailedEvent, findNewestEvents } from '../events/find-events.ts'
import { apiFaults, createApiFault, faultsAt, newApiFault } from '../faults/api-faults.ts'
import {
  createDeliveryFault,
  deliveryFaultRules,
  deliveryFaults,
  newDeliveryFault,
  type DeliveryFaultKind,
} from '../faults/delivery-faults.ts'
import { behaviour } from '../options.ts'
import providers from '../seed/providers.json' with { type: 'json' }
import { badParameter, conflict, found, missing } from '../server/rejections.ts'
import {
  accountChange,
  accountId,
  changeAccount,
  createAccount,
  listAccounts,
  newAccount,
} from '../state/accounts.ts'
import { createApiKey, listApiKeys, newApiKey, revokeApiKey } from '../state/api-keys.ts'
import { clockMove } from '../state/clock.ts'
import { page } from '../state/fields.ts'
import { listRequests } from '../state/request-journal.ts'
import { layOver, serviceEvent } from '../state/service-event.ts'
import {
  deliveryFilter,
  deliveryStates,
  findDelivery,
  listDeliveries,
} from '../webhooks/deliveries/list-deliveries.ts'
import { resendDelivery, retryDelivery } from '../webhooks/deliveries/resend-delivery.ts'
import { testDestination } from '../webhooks/deliveries/test-destination.ts'
import {
  changeDestination,
  deleteDestination,
  destinationChanges,
  pauseDestination,
  cancelRotation,
  rotateSecret,
} from '../webhooks/destinations/change-destination.ts'
import { createDestination, newDestination } from '../webhooks/destinations/create-destination.ts'
import {
  destinationChangeFilter,
  destinationId,
  listDestinationChanges,
  listDestinations,
} from '../webhooks/destinations/destinations.ts'
import { action, read, type Action } from './action.ts'
import { exportSandbox, resetSandbox } from './history.ts'

const { id: eventId, eventType, providerSlug } = serviceEvent.shape

const numbered = z.strictObject({ id: z.int().min(1) })
const oneDestination = z.strictObject({ id: destinationId })
const settingChanges = behaviour.partial()

const choices = {
  eventTypes: knownTypes.filter((type) => type !== 'destination_test'),
  providers: providers.map(({ slug }) => slug),
  /** By address, because not every fault has an effect everywhere. */
  apiFaults: faultsAt,
  deliveryStates,
  deliveryFaults: Object.entries<DeliveryFaultKind>(deliveryFaults).map(
    ([name, { does, lasts = false }]) => ({ name, does, lasts }),
  ),
}

const noFaults = { rejectStrict: () => 'A strict sandbox has no fault injection.' }

export function rejectSecret(secret: string | undefined): string | undefined {
  if (secret === undefined) return undefined
  return 'A strict sandbox generates the signing secret itself, so leave it out.'
}

/** All actions of a sandbox, by the names of the functions of `sandbox.control`. */
export const actions = {
  readClock: read("Reads the sandbox's own time.", ({ clock }) => clock.read()),
  moveClock: action(
    "Shifts, advances, freezes, unfreezes or resets the sandbox's own time.",
    clockMove,
    async ({ clock }, move) => {
      try {
        return await clock.move(move)
      } catch (error) {
        if (!isError(error) || error.name !== 'RangeError') throw error
        throw badParameter(error.message)
      }
    },
    { rejectStrict: () => 'The clock of a strict sandbox shows real time and cannot be moved.' },
  ),

  readSettings: read(
    'Reads the settings for behaviour that the interface leaves open.',
    async (context) => ({ ...context.behaviour }),
  ),
  changeSettings: action(
    'Changes the given settings of this process, until it stops.',
    settingChanges,
    // In place, because every part of the sandbox has a reference to it.
    async ({ behaviour: present }, given) => ({
      ...Object.assign(present, layOver(present, given)),
    }),
  ),

  listAccounts: read('Lists the accounts with their features and limits.', ({ database }) =>
    listAccounts(database),
  ),
  createAccount: action(
    'Creates an account with the default limits; `conflict` if its id is taken.',
    newAccount,
    async ({ database }, account): Promise<void> => {
      if (await createAccount(database, account)) return
      throw conflict(
        'An account with this id already exists. Choose another id, or change that account.',
      )
    },
  ),
  changeAccount: action(
    'Changes the name, Pro access, features or limits of an account.',
    accountChange,
    async ({ database }, change) => found(await changeAccount(database, change), 'account'),
  ),

  listKeys: read('Lists the API keys, including revoked ones, without their text.', (context) =>
    listApiKeys(context.database),
  ),
  createKey: action(
    'Creates an API key; only this response contains its text.',
    newApiKey,
    async ({ database }, key) => found(await createApiKey(database, key), 'account'),
  ),
  revokeKey: action(
    'Revokes an API key; the next request with it is rejected.',
    numbered,
    async ({ database }, { id }): Promise<void> => {
      if (!(await revokeApiKey(database, id))) throw missing('key')
    },
  ),

  listApiFaults: read('Lists the fault rules of the API.', ({ database }) =>
    apiFaults.list(database),
  ),
  createApiFault: action(
    'Makes an address of the API fail, `times` times or until the rule is deleted; rejects a rule without an effect.',
    newApiFault,
    ({ database }, rule) => createApiFault(database, rule),
    noFaults,
  ),
  deleteApiFault: action('Deletes a fault rule of the API.', numbered, ({ database }, { id }) =>
    apiFaults.delete(database, id),
  ),

  listRequests: action(
    'Lists the newest requests, with the reason if one was rejected.',
    page,
    async ({ journal, database }, given) => {
      await journal.flush()
      return await listRequests(database, given)
    },
  ),
  readChoices: read(
    'Reads the choices of the control page: types, providers, states and faults.',
    async () => choices,
  ),
  export: read('Exports the clock, the accounts and the published events.', exportSandbox),
  reset: action(
    'Deletes events, deliveries and journals, generates the history again and resets the allowances; accounts, keys, destinations, fault rules and the clock stay.',
    z.strictObject({}),
    async (context): Promise<void> => {
      await context.journal.flush()
      await resetSandbox(context)
    },
  ),

  listEvents: action(
    'Lists events in their current state, by position in the feed, newest first.',
    page,
    ({ database }, given) => findNewestEvents(database, given),
  ),
  findEvent: action(
    'Finds an event, with the timeline of its incident.',
    z.object({ id: eventId }),
    ({ database }, { id }) => findDetailedEvent(database, id),
    { finds: 'event' },
  ),
  composeEvent: action(
    'Publishes an event now; missing members are generated.',
    eventDraft.extend({
      eventType: eventType.optional().meta({ title: 'Type', examples: choices.eventTypes }),
      providerSlug: providerSlug
        .optional()
        .meta({ title: 'Provider', examples: choices.providers }),
    }),
    (context, draft) => composeEvent(context, draft),
  ),
  changeEvent: action('Confirms, corrects or retracts an event.', eventChange, changeEvent),
  composeAccountEvent: action(
    'Publishes a private event of an account; missing members are generated.',
    accountEventDraft.extend({ accountId: accountId.meta({ title: 'Account' }) }),
    (context, { accountId: id, ...draft }) => composeAccountEvent(context, id, draft),
  ),
  changeAccountEvent: action(
    'Corrects or retracts a private event.',
    accountEventChange,
    changeAccountEvent,
  ),

  listDestinations: read(
    'Lists the destinations that are not deleted, oldest first.',
    ({ database, vault }) => listDestinations(database, vault),
  ),
  createDestination: action(
    'Creates a destination in state `new`; only this response contains its secret.',
    newDestination,
    createDestination,
    { rejectStrict: ({ secret }) => rejectSecret(secret) },
  ),
  changeDestination: action(
    'Changes the name or the rules of a destination.',
    oneDestination.extend(destinationChanges.shape),
    (context, { id, ...changes }) => changeDestination(context, id, changes),
  ),
  testDestination: action(
    'Sends a test delivery and waits for the answer; a 2xx activates a new destination and resumes a paused one.',
    oneDestination,
    (context, { id }) => testDestination(context, id),
  ),
  pauseDestination: action(
    'Pauses a destination, as an answer such as 410 would.',
    oneDestination,
    (context, { id }) => pauseDestination(context, id),
    { rejectStrict: () => 'In a strict sandbox, only an answer of the app pauses a destination.' },
  ),
  rotateSecret: action(
    'Creates a new secret that signs after 24 hours; only this response contains it.',
    oneDestination,
    (context, { id }) => rotateSecret(context, id),
  ),
  cancelRotation: action(
    'Cancels a rotation in progress; the current secret continues to sign.',
    oneDestination,
    (context, { id }) => cancelRotation(context, id),
  ),
  deleteDestination: action(
    'Deletes a destination with its address and secrets, and cancels its pending deliveries.',
    oneDestination,
    (context, { id }) => deleteDestination(context, id),
  ),
  listDestinationChanges: action(
    'Lists the changes of destinations, newest first.',
    destinationChangeFilter,
    ({ database }, filter) => listDestinationChanges(database, filter),
  ),

  listDeliveries: action(
    'Lists deliveries with their event, destination and attempts, newest first.',
    deliveryFilter,
    ({ database }, filter) => listDeliveries(database, filter),
  ),
  findDelivery: action(
    'Finds a delivery, with its body and all attempts.',
    z.object({ id: z.coerce.number<number>().int().min(1) }),
    ({ database }, { id }) => findDelivery(database, id),
    { finds: 'delivery' },
  ),
  resendDelivery: action(
    'Sends a finished delivery again, as a new delivery of the same bytes; `destination_not_active` if its destination is paused.',
    numbered,
    (context, { id }) => resendDelivery(context, id),
  ),
  retryDelivery: action(
    'Makes the next attempt of a scheduled delivery now; `destination_not_active` if its destination is paused.',
    numbered,
    (context, { id }) => retryDelivery(context, id),
  ),

  listDeliveryFaults: read('Lists the fault rules of deliveries.', ({ database }) =>
    deliveryFaultRules.list(database),
  ),
  createDeliveryFault: action(
    'Makes deliveries fail, `times` times or until the rule is deleted; rejects a rule without an effect.',
    newDeliveryFault,
    createDeliveryFault,
    noFaults,
  ),
  deleteDeliveryFault: action(
    'Deletes a fault rule of deliveries.',
    numbered,
    ({ database }, { id }) => deliveryFaultRules.delete(database, id),
  ),
} satisfies Record<string, Action>

export type ActionName = keyof typeof actions

export type ActionInput<Name extends ActionName> = z.input<(typeof actions)[Name]['input']>

export type ActionResult<Name extends ActionName> =
  (typeof actions)[Name] extends Action<z.ZodType, infer Result> ? Result : never

/** The member `data` of the route's response: the result as JSON, or null if there is none. */
export type ActionAnswer<Name extends ActionName> =
  ActionResult<Name> extends void ? null : AsJson<Exclude<ActionResult<Name>, undefined>>

type AsJson<Value> = Value extends Date
  ? string
  : Value extends object
    ? { [Name in keyof Value]: AsJson<Value[Name]> }
    : Value
