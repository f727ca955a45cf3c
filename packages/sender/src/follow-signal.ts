/**
 * Aborts the controller as soon as the signal does, with the same reason.
 *
 * @returns a function that ends this, so that a long-lived signal does not gather listeners.
 */
export function followSignal(controller: AbortController, signal?: AbortSignal): () => void {
  if (!signal) return () => {}
  const stop = () => controller.abort(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  return () => signal.removeEventListener('abort', stop)
}
