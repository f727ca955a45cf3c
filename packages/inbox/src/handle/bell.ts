/** Rings for new jobs, and is heard by the claims. */
export interface Bell {
  ring(): void
  /** Waits for a ring, which may have come already, or for a time; false if none came. */
  rung(timeoutMs: number): Promise<boolean>
}

export function createBell(): Bell {
  let onRing = () => {}
  let next = nextRing()
  return {
    ring: () => onRing(),
    async rung(timeoutMs) {
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
