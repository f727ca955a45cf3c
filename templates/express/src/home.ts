/** The page at /, for people who open the app in a browser. */
export const homePage = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>An app that receives the feed</title>
  <h1>This app receives the feed</h1>
  <p>The service delivers events to <code>POST /webhooks/feed</code>, which no browser can open.</p>
  <ul>
    <li><a href="/outages">/outages</a> lists the rows that a handler wrote.</li>
    <li><a href="/health">/health</a> tells whether the app can store deliveries.</li>
    <li>The console shows each event. <code>npm run dev</code> prints its link.</li>
  </ul>
  <p>Change the handlers in <code>src/handlers.ts</code>. README.md describes the rest.</p>
</html>
`
