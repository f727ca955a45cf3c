// Next runs this once when a server starts, and never during a build.
export async function register() {
  // In this form, Next leaves it out of the build for its edge runtime.
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { startFeed } = await import('./start-feed')
    void startFeed() // not awaited, because Next answers no request before this returns
  }
}
