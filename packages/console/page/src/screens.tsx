import type { Screen } from '@feed-receiver/page-kit'
import { Entries } from './entries.tsx'
import { Entry } from './entry.tsx'
import { Feed } from './feed.tsx'
import { Overview } from './overview.tsx'
import { Quarantine } from './quarantine.tsx'
import { Quarantined } from './quarantined.tsx'
import { Secrets } from './secrets.tsx'

/** The screens of the console, by their names in links; the first is the default. */
export const screens = new Map<string, Screen>([
  ['overview', { title: 'Overview', Screen: Overview }],
  ['entries', { title: 'Entries', Screen: Entries }],
  ['entry', { title: 'Entry', Screen: Entry, within: 'entries' }],
  ['quarantine', { title: 'Quarantine', Screen: Quarantine }],
  ['quarantined', { title: 'Quarantined delivery', Screen: Quarantined, within: 'quarantine' }],
  ['feed', { title: 'Feed', Screen: Feed }],
  ['secrets', { title: 'Secrets', Screen: Secrets }],
])
