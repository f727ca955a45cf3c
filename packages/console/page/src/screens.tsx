import type { ComponentType } from 'preact'
import { Entries } from './entries.tsx'
import { Entry } from './entry.tsx'
import { Feed } from './feed.tsx'
import { Overview } from './overview.tsx'
import { Quarantine } from './quarantine.tsx'
import { Quarantined } from './quarantined.tsx'
import { Secrets } from './secrets.tsx'

/** What every screen gets. */
export interface ScreenProps {
  parameters: Readonly<Record<string, string>>
  isReadOnly: boolean
}

interface Screen {
  title: string
  Screen: ComponentType<ScreenProps>
}

/** The screens by their name in links. A new one stands here, and in the navigation of the frame. */
const screens = new Map<string, Screen>([
  ['overview', { title: 'Overview', Screen: Overview }],
  ['entries', { title: 'Entries', Screen: Entries }],
  ['entry', { title: 'Entry', Screen: Entry }],
  ['quarantine', { title: 'Quarantine', Screen: Quarantine }],
  ['quarantined', { title: 'Quarantined delivery', Screen: Quarantined }],
  ['feed', { title: 'Feed', Screen: Feed }],
  ['secrets', { title: 'Secrets', Screen: Secrets }],
])

const nowhere: Screen = {
  title: 'Nothing here',
  Screen: () => (
    <>
      <h1 tabIndex={-1}>Nothing here</h1>
      <p>
        This link leads to no screen. Begin with the <a href="#/overview">overview</a>.
      </p>
    </>
  ),
}

/** The screen of a link. */
export function screenOf(name: string): Screen {
  return screens.get(name) ?? nowhere
}
