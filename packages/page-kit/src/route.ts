import { useLayoutEffect, useState } from 'preact/hooks'

/** What a screen gets: what its link says beside its name. */
export interface ScreenProps {
  parameters: Readonly<Record<string, string>>
}

/** What the page shows. */
export interface Route extends ScreenProps {
  /** The name of a screen; empty for the first. */
  screen: string
}

/** The route of the address, which is behind the # and so works under every path. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute)
  // Heard before it is seen: a link followed in between would be lost.
  useLayoutEffect(() => {
    const change = () => setRoute(readRoute())
    addEventListener('hashchange', change)
    return () => removeEventListener('hashchange', change)
  }, [])
  return route
}

/** A link to a screen; what is empty is left out. */
export function linkTo(screen: string, parameters: Record<string, string | number> = {}): string {
  const said = Object.entries(parameters).filter(([, value]) => value !== '')
  const query = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString()
  return `#/${screen}${query === '' ? '' : `?${query}`}`
}

/** Goes to a screen without a step for the back button. */
export function replaceRoute(screen: string, parameters: Record<string, string> = {}): void {
  location.replace(linkTo(screen, parameters))
}

/** Changes what the link to the shown screen says, on top of what the address says by then. */
export function changeRoute(changes: Record<string, string>): void {
  const { screen, parameters } = readRoute()
  replaceRoute(screen, { ...parameters, ...changes })
}

/** The route as the address says it now, which is ahead of what is shown. */
function readRoute(): Route {
  const [screen = '', query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  return { screen, parameters: Object.fromEntries(new URLSearchParams(query)) }
}
