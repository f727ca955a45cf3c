/**
 * Moves `Date` of this process, and so `now()` of an embedded database in it, to any time. It runs
 * on from there. Timers and `performance.now()` stay unchanged.
 */
export function moveClock() {
  const Real = globalThis.Date
  let offsetMs = 0
  const now = () => Real.now() + offsetMs
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: (target) => new target(now()).toString(),
    get: (target, name, receiver): unknown =>
      name === 'now' ? now : Reflect.get(target, name, receiver),
  })
  return {
    moveTo(time: Date): void {
      offsetMs = time.getTime() - Real.now()
    },
    restore(): void {
      globalThis.Date = Real
    },
  }
}
