export type Bell = ReturnType<typeof createBell>

/** Creates a bell, which rings for new jobs, and which the claims hear. */
export function createBell() {
  let onRing = () => {}
  let next = nextRing()
  return {
    ring: () => onRing(),
    /** Waits for a ring, which may have come already, or for a time; false if none came. */
    async rung(timeoutMs: number): Promise<boolean> {
      let hasRung = true
      const timer = setTimeout(() => {
        hasRung = false
        onRing()
      }, timeoutMs)
      await next
      clearTimeout(timer)
      next = nextRing()
      return hasRung
    },
  }

  function nextRing(): Promise<void> {
    return new Promise((resolve) => (onRing = resolve))
  }
}
