// Next runs this once when a server starts, and never during a build.
export async function register() {
  // In this form, Next omits it from the build for its edge runtime.
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { run } = await import('./feed/run')
    void run() // not awaited, because Next answers no request before this returns
  }
}
