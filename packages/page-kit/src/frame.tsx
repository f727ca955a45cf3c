import { createContext, Fragment, type ComponentChildren, type ComponentType } from 'preact'
import { useContext, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { step, useKeys } from './keys.ts'
import { Notices } from './notices.tsx'
import { linkTo, useRoute, type ScreenProps } from './route.ts'

export interface Screen {
  title: string
  Screen: ComponentType<ScreenProps>
  /** The list screen that this detail screen belongs to. The navigation shows only list screens. */
  within?: string
  /** The heading above it in the navigation, if a page has several parts. */
  group?: string
}

const ScreenNames = createContext<ReadonlySet<string>>(new Set())

/**
 * A link, styled as a button, to a screen that not every page has; renders nothing if it is
 * missing.
 */
export function LinkIfThere({ to, id, label }: { to: string; id: string; label: string }) {
  if (!useContext(ScreenNames).has(to)) return null
  return (
    <a class="button" href={linkTo(to, { id })}>
      {label}
    </a>
  )
}

export interface FrameProps {
  title: string
  /** What tells it from other pages of this title. */
  subtitle?: string
  mark: ComponentChildren
  /** By their names in links. The first is the default. */
  screens: ReadonlyMap<string, Screen>
  /** The content below the navigation. */
  foot: ComponentChildren
  /** The content above every screen. */
  top?: ComponentChildren
}

/**
 * The navigation, which number keys control too, with the current screen beside it. The keys j and
 * k move between rows.
 */
export function Frame({ title, subtitle = '', mark, screens, foot, top }: FrameProps) {
  const route = useRoute()
  const frame = useRef<HTMLDivElement>(null)
  const isFirst = useRef(true)
  const [first = ''] = screens.keys()
  const name = route.screen === '' ? first : route.screen
  const { Screen, within = name, ...screen } = screens.get(name) ?? nowhere
  const names = useMemo(() => new Set(screens.keys()), [screens])
  const place = `${name} ${route.parameters['id'] ?? ''}`
  const places = [...screens].filter(([, one]) => one.within === undefined)
  const focus = () => frame.current?.querySelector('h1')?.focus({ preventScroll: true })

  const keys = places.map(([own], at) => [`${at + 1}`, () => (location.hash = linkTo(own))])
  useKeys({ ...Object.fromEntries(keys), j: () => step(1), k: () => step(-1) })
  useLayoutEffect(() => {
    document.title = [screen.title, title, subtitle].filter(Boolean).join(' · ')
  })
  // Before painting, so that no key arrives between the new screen and its focus.
  useLayoutEffect(() => {
    frame.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
    // A screen reader starts with the new screen, as after a page load.
    if (!isFirst.current) focus()
    if (!isFirst.current) scrollTo(0, 0)
    isFirst.current = false
  }, [place])

  // The fragment of the URL names the screen, so it cannot also name a place on it.
  const skip = (event: Event) => {
    event.preventDefault()
    focus()
  }
  return (
    <div class="frame" ref={frame}>
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <header class="side">
        <a class="brand" href={linkTo(first)}>
          {mark}
          <span>
            {title}
            {subtitle !== '' && <small>{subtitle}</small>}
          </span>
        </a>
        <nav aria-label="Screens">
          {places.map(([own, { title: text, group }], at) => (
            <Fragment key={own}>
              {group !== undefined && group !== places[at - 1]?.[1].group && (
                <span class="nav-group">{group}</span>
              )}
              <a href={linkTo(own)} aria-current={own === within ? 'page' : undefined}>
                {text}
              </a>
            </Fragment>
          ))}
        </nav>
        <Notices />
        <div class="foot">{foot}</div>
      </header>
      <div class="content">
        {top}
        <main id="main">
          <ScreenNames.Provider value={names}>
            <Screen key={place} parameters={route.parameters} />
          </ScreenNames.Provider>
        </main>
      </div>
    </div>
  )
}

const nowhere: Screen = {
  title: 'Not found',
  Screen: () => (
    <>
      <Head title="Not found" />
      <p class="empty">
        No screen has this link. Go to the <a href="#/">first screen</a>.
      </p>
    </>
  ),
}

export function Head(props: { title: ComponentChildren; children?: ComponentChildren }) {
  return (
    <div class="head">
      <h1 tabIndex={-1}>{props.title}</h1>
      {props.children}
    </div>
  )
}

/** The logo of a page: a path on a square. */
export function Mark({ path }: { path: string }) {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d={path} />
    </svg>
  )
}
