import { useLayoutEffect, useState } from 'preact/hooks'

/** The parameters from a screen's link. */
export interface ScreenProps {
  parameters: Readonly<Record<string, string>>
}

export interface Route extends ScreenProps {
  /** The name of a screen; empty for the first. */
  screen: string
}

/** The route of the address. It is behind the #, and so works under every path. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute)
  // Subscribes before painting, because a link followed in between would be lost.
  useLayoutEffect(() => {
    const change = () => setRoute(readRoute())
    addEventListener('hashchange', change)
    return () => removeEventListener('hashchange', change)
  }, [])
  return route
}

/** A link to a screen, without empty parameters. */
export function linkTo(screen: string, parameters: Record<string, string | number> = {}): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== '')
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `#/${screen}${query === '' ? '' : `?${query}`}`
}

/** Goes to a screen without a step for the back button. */
export function replaceRoute(screen: string, parameters: Record<string, string> = {}): void {
  location.replace(linkTo(screen, parameters))
}

export function changeRoute(changes: Record<string, string>): void {
  const { screen, parameters } = readRoute()
  replaceRoute(screen, { ...parameters, ...changes })
}

/** The route of the current address, which may be newer than the shown one. */
function readRoute(): Route {
  const [screen = '', query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  return { screen, parameters: Object.fromEntries(new URLSearchParams(query)) }
}
