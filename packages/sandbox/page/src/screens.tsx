import type { Screen } from '@feed-receiver/page-kit'
import { Accounts } from './accounts.tsx'
import { Deliveries, Delivery } from './deliveries.tsx'
import { Destinations, DestinationScreen } from './destinations.tsx'
import { Event, Feed } from './events.tsx'
import { Faults } from './faults.tsx'
import { Requests } from './requests.tsx'
import { SettingsScreen } from './settings.tsx'

/** The screens of the sandbox, by their names in links; the first is the default. */
export const screens = new Map<string, Screen>([
  ['events', { title: 'Events', Screen: Feed }],
  ['destinations', { title: 'Destinations', Screen: Destinations }],
  ['deliveries', { title: 'Deliveries', Screen: Deliveries }],
  ['requests', { title: 'Requests', Screen: Requests }],
  ['faults', { title: 'Faults', Screen: Faults }],
  ['accounts', { title: 'Accounts', Screen: Accounts }],
  ['everything', { title: 'Settings', Screen: SettingsScreen }],
  ['event', { title: 'Event', Screen: Event, within: 'events' }],
  ['destination', { title: 'Destination', Screen: DestinationScreen, within: 'destinations' }],
  ['delivery', { title: 'Delivery', Screen: Delivery, within: 'deliveries' }],
])
