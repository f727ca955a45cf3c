import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { SessionAnswer } from '../../src/login.ts'
import { act } from './api.ts'
import { Help } from './help.tsx'
import { tellLoggedOut } from './logged-out.ts'
import { Mark } from './mark.tsx'
import { notify } from './notices.tsx'
import { linkTo, type Route } from './route.ts'
import { useKeys } from './use-keys.ts'

/** What the navigation leads to; a screen of one thing belongs to the screen of many. */
const places = [
  { screen: 'overview', label: 'Overview', holds: ['overview'] },
  { screen: 'entries', label: 'Entries', holds: ['entries', 'entry'] },
  { screen: 'quarantine', label: 'Quarantine', holds: ['quarantine', 'quarantined'] },
  { screen: 'feed', label: 'Feed', holds: ['feed'] },
  { screen: 'secrets', label: 'Secrets', holds: ['secrets'] },
]

export interface FrameProps {
  session: SessionAnswer
  route: Route
  /** Of the screen. */
  title: string
  children: ComponentChildren
}

/** The navigation, and a screen beside it. */
export function Frame({ session, route, title, children }: FrameProps) {
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const [isHelping, setIsHelping] = useState(false)
  const place = `${route.screen} ${route.parameters['id'] ?? ''}`

  // Before it is painted, so that no key comes between the screen and its focus.
  useLayoutEffect(() => {
    document.title = `${title} · ${session.title}`
    // So that a reader of screens begins with the new screen, as after a page was loaded.
    if (!isFirst.current) main.current?.querySelector('h1')?.focus({ preventScroll: true })
    if (!isFirst.current) scrollTo(0, 0)
    isFirst.current = false
  }, [place])
  useKeys({
    ...Object.fromEntries(
      places.map(({ screen }, index) => [
        String(index + 1),
        () => (location.hash = linkTo(screen)),
      ]),
    ),
    '?': () => setIsHelping(true),
  })

  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={(event) => skip(event, main.current)}>
        Skip to content
      </a>
      <header class="side">
        <a class="brand" href={linkTo('overview')}>
          <Mark />
          <span>{session.title}</span>
        </a>
        <nav aria-label="Screens">
          {places.map(({ screen, label, holds }) => (
            <a
              key={screen}
              href={linkTo(screen)}
              aria-current={holds.includes(route.screen) ? 'page' : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        <div class="who">
          {session.readOnly && <span class="tag">Read-only</span>}
          <span class="who-name">{session.operator}</span>
          <button class="quiet" onClick={() => setIsHelping(true)}>
            Keys
          </button>
          {session.login === 'token' && (
            <button class="quiet" onClick={() => void logOut()}>
              Log out
            </button>
          )}
        </div>
      </header>
      <main ref={main} id="main">
        {children}
      </main>
      {isHelping && <Help onClose={() => setIsHelping(false)} />}
    </div>
  )
}

async function logOut(): Promise<void> {
  await act('logout', {}).then(tellLoggedOut, (error: Error) => notify(error.message))
}

// The part of the address behind the # is the screen, so it cannot be a place on it.
function skip(event: Event, main: HTMLElement | null): void {
  event.preventDefault()
  main?.querySelector('h1')?.focus()
}
