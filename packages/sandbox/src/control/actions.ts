import type { z } from 'zod'
import { changeAccount, createAccount, listAccounts } from '../accounts/accounts.ts'
import { createKey, listKeys, revokeKey } from '../accounts/api-keys.ts'
import { changeAccountEvent, composeAccountEvent } from '../account-events/compose-account-event.ts'
import { moveClock, readClock } from '../clock.ts'
import { changeEvent, composeEvent, eventTypes, providerSlugs } from '../events/compose-event.ts'
import { findEvent, listEvents } from '../events/find-events.ts'
import { createApiFault, deleteApiFault, faultsAt, listApiFaults } from '../faults/api-faults.ts'
import {
  createDeliveryFault,
  deleteDeliveryFault,
  deliveryFaults,
  listDeliveryFaults,
  type DeliveryFaultKind,
} from '../faults/delivery-faults.ts'
import { behaviour } from '../options.ts'
import { action, read, type Action } from '../server/action.ts'
import { page } from '../state/fields.ts'
import { listRequests } from '../state/request-journal.ts'
import { assignDefined } from '../state/service-event.ts'
import {
  deliveryStates,
  findDelivery,
  listDeliveries,
  resendDelivery,
  retryDelivery,
} from '../webhooks/deliveries/deliveries.ts'
import { testDestination } from '../webhooks/deliveries/test-destination.ts'
import {
  cancelRotation,
  changeDestination,
  deleteDestination,
  pauseDestination,
  rotateSecret,
} from '../webhooks/destinations/change-destination.ts'
import { createDestination } from '../webhooks/destinations/create-destination.ts'
import { listDestinationChanges, listDestinations } from '../webhooks/destinations/destinations.ts'
import { exportSandbox } from './export.ts'
import { resetSandbox } from './history.ts'

const choices = {
  eventTypes,
  providers: providerSlugs,
  /** By address, because not every fault has an effect everywhere. */
  apiFaults: faultsAt,
  deliveryStates,
  deliveryFaults: Object.entries<DeliveryFaultKind>(deliveryFaults).map(
    ([name, { does, lasts = false }]) => ({ name, does, lasts }),
  ),
}

/**
 * All actions of a sandbox, by the names of the functions of `sandbox.control`. `addressOf` makes
 * the address of each from its name, so another name is another address, and breaks callers such as
 * the command line. The README lists both.
 */
export const actions = {
  readClock,
  moveClock,

  readSettings: read(
    'Reads the settings for behaviour that the interface leaves open.',
    async (context) => ({ ...context.behaviour }),
  ),
  changeSettings: action(
    'Changes the given settings of this process, until it stops.',
    behaviour.partial(),
    // In place, because every part of the sandbox has a reference to it.
    async ({ behaviour: present }, given) => ({
      ...Object.assign(present, assignDefined(present, given)),
    }),
  ),

  listAccounts,
  createAccount,
  changeAccount,

  listKeys,
  createKey,
  revokeKey,

  listApiFaults,
  createApiFault,
  deleteApiFault,

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
  export: exportSandbox,
  reset: resetSandbox,

  listEvents,
  findEvent,
  composeEvent,
  changeEvent,
  composeAccountEvent,
  changeAccountEvent,

  listDestinations,
  createDestination,
  changeDestination,
  testDestination,
  pauseDestination,
  rotateSecret,
  cancelRotation,
  deleteDestination,
  listDestinationChanges,

  listDeliveries,
  findDelivery,
  resendDelivery,
  retryDelivery,

  listDeliveryFaults,
  createDeliveryFault,
  deleteDeliveryFault,
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
