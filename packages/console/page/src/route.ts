import { useEffect, useState } from 'preact/hooks'

/** What the page shows: a screen, and what its link says beside it. */
export interface Route {
  screen: string
  parameters: Readonly<Record<string, string>>
}

/** The route of the address, which is behind the # and so works under every path. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute)
  useEffect(() => {
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

/** Goes somewhere without a step for the back button. */
export function replaceRoute(link: string): void {
  location.replace(link)
}

/** The route as the address says it now, which is ahead of what is shown. */
export function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  return { screen: path === '' ? 'overview' : path, parameters: readQuery(query) }
}

function readQuery(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query))
}
