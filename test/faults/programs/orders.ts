/**
 * What a program of the harness is told by it. `obey` is given each order, which counts as carried out
 * once it has resolved. A program whose harness is gone ends.
 */
export function takeOrders<Order>(obey: (order: Order) => void | Promise<void>): void {
  process.on('message', ({ number, order }: { number: number; order: Order }) => {
    void Promise.resolve(obey(order)).then(() => process.send?.({ done: number }))
  })
  process.on('disconnect', () => process.exit(1))
}

/** Tells the harness that the program works now. */
export function reportReady(port = 0): void {
  process.send?.({ ready: port })
}

/** What the program does when it is asked to end; then it ends with 0. */
export function onTermination(stop: () => Promise<void>): void {
  process.once('SIGTERM', () => void stop().then(() => process.exit(0)))
}
