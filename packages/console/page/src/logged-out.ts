const name = 'feed-logged-out'

/** Says that the server knows nobody behind this page any more. */
export function tellLoggedOut(): void {
  dispatchEvent(new Event(name))
}

/** Calls when that happens, until told to stop. */
export function whenLoggedOut(act: () => void): () => void {
  addEventListener(name, act)
  return () => removeEventListener(name, act)
}
