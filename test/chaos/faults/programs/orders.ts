/**
 * Receives the orders of the harness. `obey` gets each order, which counts as done once it
 * resolves. The program ends if the harness is gone.
 */
export function takeOrders<Order>(obey: (order: Order) => void | Promise<void>): void {
  process.on('message', ({ number, order }: { number: number; order: Order }) => {
    void Promise.resolve(obey(order)).then(() => process.send?.({ done: number }))
  })
  process.on('disconnect', () => process.exit(1))
}

/** Tells the harness that the program is ready. */
export function reportReady(port = 0): void {
  process.send?.({ ready: port })
}

/** Runs when the program is asked to end, which then exits with 0. */
export function onTermination(stop: () => Promise<void>): void {
  process.once('SIGTERM', () => void stop().then(() => process.exit(0)))
}
