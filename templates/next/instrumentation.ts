// Next runs this once for each server it starts, and never during a build.
export async function register() {
  // Written this way round, it is left out of what Next builds for its edge runtime.
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { run } = await import('./feed/run')
    void run() // not awaited: Next answers nothing before this returns, whatever the database does
  }
}
