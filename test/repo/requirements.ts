/** One statement about the service or the kit, and the tests that prove it: `file: title`. */
export interface Requirement {
  says: string
  provedBy: string[]
}

const contract = {
  answers: 'test/contract/answers.ts',
  signatures: 'test/contract/signatures.ts',
  bodies: 'test/contract/bodies.ts',
  connections: 'test/contract/connections.ts',
  faults: 'test/contract/faults.ts',
}
const api = 'packages/core/src/api/api.test.ts'
const client = 'packages/client/src/create-client.test.ts'
const mcp = 'packages/client/src/mcp.test.ts'
const mcpAtSandbox = 'test/integration/mcp.test.ts'
const mcpRoutes = 'packages/sandbox/src/mcp/mcp-routes.test.ts'
const mcpTools = 'packages/sandbox/src/mcp/tools.test.ts'
const poller = 'packages/client/src/create-poller.test.ts'
const pagesAhead = 'packages/client/src/poll/read-stream.test.ts'
const pages = 'packages/inbox/src/pull/accept-page.test.ts'
const recovery = 'test/chaos/kills/recovery.slow.ts'
const pullFaults = 'test/chaos/kills/pull-faults.slow.ts'
const inboxSuite = 'test/contract/delivery-inbox.ts'
const inbox = 'packages/inbox/src/inbox.test.ts'
const prism = 'test/compat/openapi/prism.slow.ts'
const sender = (file: string) => `packages/sender/src/${file}.test.ts`
const sandbox = (file: string) => `packages/sandbox/src/${file}.test.ts`

/** The requirements in scope, by number. */
export const requirements: Record<string, Requirement> = {
  R14: {
    says: 'The id of an event is stable, and consumers deduplicate by it.',
    provedBy: [
      `${inboxSuite}: stores an event once with its exact bytes`,
      `${pages}: once, concurrently with pushes of the same events`,
    ],
  },
  R15: {
    says: 'An unknown type is accepted and stored unchanged.',
    provedBy: [
      `${contract.bodies}: $outcome: $says`,
      `${inbox}: passes each event to its handler, whose writes happen once`,
    ],
  },
  R16: {
    says: 'category is optional and open. If the API has none, the envelope has "other".',
    provedBy: [
      `${api}: passes unknown types, states, precisions, phases and members through`,
      `${api}: converts the smallest valid API event`,
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R19: {
    says: 'Every record has its source link, and an event without one is not stored.',
    provedBy: [
      `${api}: rejects %s`,
      `${client}: are skipped with a warning if they cannot be read`,
      `${poller}: quarantines an item that is not an event, and continues`,
    ],
  },
  R21: {
    says: 'An unknown evidenceState is stored.',
    provedBy: [`${client}: match the filter and preserve unknown values`],
  },
  R22: {
    says: 'An unknown confirmationState is stored, and counts as not confirmed.',
    provedBy: [
      `${api}: passes unknown types, states, precisions, phases and members through`,
      `${pages}: handle the event again: %s`,
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R24: {
    says: 'A missing publication time means unknown, and no other time replaces it.',
    provedBy: [`${api}: returns no time if the source gave none: %s`],
  },
  R25: {
    says: 'A missing update time means unknown, and no other time replaces it.',
    provedBy: [`${api}: returns no time if the source gave none: %s`],
  },
  R26: {
    says: 'A date is not an instant, and neither is a time of unknown precision.',
    provedBy: [
      `${api}: returns a date as written, in every time zone`,
      `${api}: returns only the text for the precision %s`,
    ],
  },
  R27: {
    says: 'The precision of an update has the same meaning as that of the publication.',
    provedBy: [`${api}: returns a date as written, in every time zone`],
  },
  R29: {
    says: 'The newer content of a corrected event replaces the older.',
    provedBy: [
      `${pages}: handle the event again: %s`,
      `${pages}: ignore older content`,
      `${poller}: stores changed events: after the cursor at once, elsewhere within an hour`,
      `${sandbox('events/events')}: lists corrected and retracted events again, with the time`,
    ],
  },
  R30: {
    says: 'A retracted event is marked as retracted and keeps its link.',
    provedBy: [
      `${pages}: handle the event again: %s`,
      `${pages}: pass an event as a retraction if it was retracted before it was first read`,
      `${sandbox('events/events')}: lists corrected and retracted events again, with the time`,
    ],
  },
  R33: {
    says: 'The content of a benchmark is opaque and stored.',
    provedBy: [`${api}: passes unknown types, states, precisions, phases and members through`],
  },
  R36: {
    says: 'Neither confirmation nor evidence is derived from the other.',
    provedBy: [
      `${api}: moves the members that push shares into the envelope, and the rest beside it`,
    ],
  },
  R38: {
    says: 'An optional member that is absent means the same as null.',
    provedBy: [
      `${api}: allows every other member to be absent or null, with the same result`,
      `${pages}: do not handle the event again if only metadata differ`,
      `${sandbox('seed/seed')}: has early signals, corrections, retractions, null and absent members`,
      `${sandbox('seed/seed')}: has every optional member present, null and absent`,
    ],
  },
  R58: {
    says: 'An unknown type of account event is stored.',
    provedBy: [
      `${api}: passes unknown types and states through`,
      `${sandbox('seed/seed')}: has private events of every type`,
    ],
  },
  R66: {
    says: 'A webhook body is in snake case and has schema_version 1.0.',
    provedBy: [`${sender('fixtures/fixtures')}: covers the documented values and nulls`],
  },
  R67: {
    says: 'The id in the signed body is the key, and the header repeats it.',
    provedBy: [
      `${contract.answers}: 202 for a header with another id, and quarantines it`,
      `${contract.answers}: 200 for a duplicate whose header has another id`,
    ],
  },
  R68: {
    says: 'The set of event types is open.',
    provedBy: [`${contract.bodies}: $outcome: $says`],
  },
  R69: {
    says: 'created_at is the time when the event was first observed, so the timestamp check ignores it.',
    provedBy: [`${contract.signatures}: answers a delivery signed %i s from now with %i`],
  },
  R70: {
    says: 'data has its nine required members, three of them nullable, and both members of subject.',
    provedBy: [`${contract.bodies}: $outcome: $says`],
  },
  R71: {
    says: 'benchmark has current and previous. Values over the limits are stored and noted.',
    provedBy: [
      `${contract.bodies}: $outcome: $says`,
      'packages/core/src/event/notes.test.ts: notes a benchmark over its bounds',
    ],
  },
  R72: {
    says: 'The envelope is the same for every type.',
    provedBy: [`${contract.answers}: 202 for every documented type, including the test delivery`],
  },
  R73: {
    says: 'The console displays title, summary, subject, evidence and source, and never parts of the type.',
    provedBy: [
      'test/browser/screens.slow.ts: shows the content and bytes of an entry, and copies as curl',
      'test/browser/hostile.slow.ts: stay text in every field of every screen',
    ],
  },
  R74: {
    says: 'The subject of a benchmark event is of type benchmark.',
    provedBy: [
      `${sender('fixtures/fixtures')}: has benchmark data, without previous values for a new model`,
    ],
  },
  R75: {
    says: 'A webhook may carry an unconfirmed event, and an unknown confirmation.',
    provedBy: [`${contract.bodies}: $outcome: $says`],
  },
  R76a: {
    says: 'An event has the required members with their types and formats, and a valid id. Other bodies are quarantined.',
    provedBy: [
      `${contract.bodies}: $outcome: $says`,
      `${inboxSuite}: stores any valid event: $says`,
    ],
  },
  R84: {
    says: 'A live delivery answered with 400, 401, 403, 404, 405, 410 or 422 pauses the destination.',
    provedBy: [
      `${sender('answer/classify')}: pauses on exactly seven statuses`,
      `${sender('attempt/statuses')}: ends or retries a delivery after each status from 200 to 599 as documented`,
      `${sender('attempt/deliver')}: ends the delivery after a pausing status`,
    ],
  },
  R85: {
    says: 'After such a response, the same event is not sent again.',
    provedBy: [`${sender('attempt/deliver')}: ends the delivery after a pausing status`],
  },
  R86: {
    says: 'A test delivery is sent at once and never retried.',
    provedBy: [`${sender('attempt/deliver')}: does not retry a destination_test after a %d`],
  },
  R104: {
    says: 'The client sends after only on request, and then warns.',
    provedBy: [`${client}: are requested with after only on demand, and with a warning`],
  },
  R114: {
    says: 'The first poll requests 50 events.',
    provedBy: [
      `${client}: start with the newest 50 if the first cursor marks the newest event`,
      `${poller}: stores the newest events and all later ones, oldest first, each once`,
    ],
  },
  R115: {
    says: 'A page is handled and deduplicated by id before the next cursor is used.',
    provedBy: [
      `${poller}: stores everything if the first cursor marks the oldest event, past duplicates too`,
      `${pages}: with their cursor, and handled once`,
    ],
  },
  R116: {
    says: 'The cursor is stored in the transaction that stores its page.',
    provedBy: [
      `${pages}: only as a whole, events and cursor`,
      `${pagesAhead}: is prepared, and stored after it`,
      `${pagesAhead}: is dropped if storing fails, and read again later`,
    ],
  },
  R117: {
    says: 'If there are more events, the next page is requested at once.',
    provedBy: [
      `${client}: are read over all pages if the first cursor marks the oldest event`,
      `${poller}: stores everything if the first cursor marks the oldest event, past duplicates too`,
    ],
  },
  R118: {
    says: 'If there are no more events, the poller waits 60 seconds, or longer to stay within the monthly quota.',
    provedBy: [`${poller}: polls less often if the monthly quota would run out`],
  },
  R119: {
    says: 'After a crash between a page and its cursor, the page is read again and nothing is duplicated.',
    provedBy: [
      `${poller}: re-reads after a crash at any step, without duplicates or gaps`,
      'test/chaos/kills/kill-poller.slow.ts: reads each event once although it is killed at each step of each page',
      `${recovery}: a feed stays complete after an outage, a pause and a kill at every step`,
    ],
  },
  R120: {
    says: 'hasMore without a usable cursor is an error that stops the pages and is reported.',
    provedBy: [
      `${client}: throw bad_page if a page has more and its cursor is %s`,
      `${poller}: does not loop over pages that do not advance`,
      `${pullFaults}: %s leaves the stored feed complete and exact`,
    ],
  },
  R121: {
    says: 'A last page without a cursor leaves the stored cursor unchanged.',
    provedBy: [
      `${client}: keep the requested cursor if the last page has none`,
      `${pages}: without ever losing the cursor`,
      `${poller}: continues from its cursor, even after a page without one`,
      `${pullFaults}: %s leaves the stored feed complete and exact`,
    ],
  },
  R125: {
    says: 'A cursor belongs to its service, account, endpoint and filters.',
    provedBy: [`${poller}: stores a cursor for each filter and account`],
  },
  R134: {
    says: 'Account events are read down to a known one, and from time to time completely.',
    provedBy: [
      `${client}: end before the event in downTo`,
      `${client}: are newest first, over all pages`,
    ],
  },
  R135: {
    says: 'Account events with an unknown contract stop the stream, and the response is kept.',
    provedBy: [
      `${client}: throw unknown_contract, with the answer, for another contract version`,
      `${pullFaults}: account events with an unknown contract are rejected, and block nothing else`,
    ],
  },
  R4: {
    says: 'MCP has four read-only tools.',
    provedBy: [`${mcpTools}: are four and read-only`],
  },
  R144: {
    says: 'The MCP endpoint supports Streamable HTTP and accepts API keys.',
    provedBy: [
      `${mcpRoutes}: costs one request: %s`,
      `${mcpRoutes}: rejects the key %s without a charge`,
      `packages/sandbox/src/mcp/sdk-clients.test.ts: lists and calls every tool, with results that match their schemas`,
    ],
  },
  R145: {
    says: 'Every authenticated request to MCP costs one, and a rejected key nothing.',
    provedBy: [
      `${mcpRoutes}: costs one request: %s`,
      `${mcpRoutes}: rejects the key %s without a charge`,
      `${mcpAtSandbox}: calls each tool with one request, plus one to connect`,
    ],
  },
  R146: {
    says: 'There are exactly four tools, annotated as read-only.',
    provedBy: [`${mcpTools}: are four and read-only`],
  },
  R147: {
    says: 'list_changes lists and polls the same events as the pull API.',
    provedBy: [
      `${mcpTools}: lists the same as the API, with interchangeable cursors`,
      `${mcpTools}: filters as the API does`,
      `${mcpAtSandbox}: continues after a cursor like the pull API`,
    ],
  },
  R148: {
    says: 'get_change returns one event with the timeline of its incident.',
    provedBy: [`${mcpTools}: returns a change by its id with the incident timeline`],
  },
  R149: {
    says: 'get_deprecations returns only confirmed facts of deprecation and removal.',
    provedBy: [
      `${mcpTools}: lists confirmed facts until they are retracted`,
      `${mcpTools}: lists only deprecated or removed models`,
      `${mcpTools}: continues after its cursor, oldest first, with the same filters only`,
    ],
  },
  R150: {
    says: 'check_model resolves an exact id, or a curated alias, to the latest confirmed fact.',
    provedBy: [
      `${mcpTools}: returns the latest confirmed fact about an exact id`,
      `${mcpTools}: resolves a curated alias if no exact id matches`,
    ],
  },
  R153: {
    says: 'Replacements, dates and countdowns need structured evidence.',
    provedBy: [
      `${mcpTools}: returns a countdown only with a date from structured evidence`,
      `test/integration/mcp-agent.test.ts: reports model deprecations and outages with sources, without guesses`,
    ],
  },
  R154: {
    says: 'Every tool has schemas for its input and output.',
    provedBy: [
      `${mcpTools}: are four and read-only`,
      `packages/sandbox/src/mcp/sdk-clients.test.ts: lists and calls every tool, with results that match their schemas`,
    ],
  },
  R155: {
    says: 'Missing keys, Pro access and limits are rejected by status, and everything else as a tool error.',
    provedBy: [
      `${mcpRoutes}: rejects accounts without Pro or allowance like the API`,
      `${mcpRoutes}: sends rate limit headers with every response`,
      `${mcpTools}: rejects %s`,
      `${mcpAtSandbox}: throws tool errors with the code of the service`,
    ],
  },
  R156: {
    says: 'A foreign Host or Origin is rejected.',
    provedBy: [
      `${mcpRoutes}: rejects %s before it checks the key`,
      `${mcpRoutes}: accepts its own address as Origin`,
    ],
  },
  R157: {
    says: 'MCP supports 2026-07-28 and the three earlier revisions.',
    provedBy: [`${mcpRoutes}: speaks %s`, `${mcpRoutes}: speaks 2026-07-28 with a cache lifetime`],
  },
  R151: {
    says: 'unknown means that no confirmed fact matches.',
    provedBy: [
      `${mcpAtSandbox}: distinguishes unknown from ambiguous, and resolves a returned candidate`,
      `${mcpTools}: returns unknown for the inexact id %j`,
      `${mcp}: are four typed functions that cost one request each after one to connect`,
    ],
  },
  R152: {
    says: 'ambiguous names the providers to choose from.',
    provedBy: [
      `${mcpTools}: is ambiguous for two providers until one is given`,
      `${mcp}: are four typed functions that cost one request each after one to connect`,
    ],
  },
  R158: {
    says: 'Connecting costs few requests, and the client caches what it learned about the server.',
    provedBy: [
      `${mcpRoutes}: speaks 2026-07-28 with a cache lifetime`,
      `${mcpAtSandbox}: calls each tool with one request, plus one to connect`,
      `${mcp}: are four typed functions that cost one request each after one to connect`,
      `${mcp}: work with a server of an older revision, without opening its stream`,
    ],
  },
  R159: {
    says: 'Events are delivered with POST, at least once.',
    provedBy: [
      `${sender('attempt/deliver')}: delivers with the documented headers and the JSON of the event`,
      `${sender('attempt/statuses')}: ends or retries a delivery after each status from 200 to 599 as documented`,
      `${contract.answers}: 405 for %s`,
      `${sandbox('webhooks/deliveries/deliveries')}: carry an event to every active destination, signed`,
      'test/chaos/kills/kill-sandbox.slow.ts: loses no delivery during attempts, twice, with a thousand or more pending',
      'test/chaos/kills/kill-sandbox.slow.ts: continues with the next attempt after a kill between two',
    ],
  },
  R160: {
    says: 'The content type is application/json, and the receiver does not depend on it.',
    provedBy: [
      `${sender('attempt/deliver')}: delivers with the documented headers and the JSON of the event`,
      `${contract.bodies}: 202 whatever the content type: %s`,
    ],
  },
  R161: {
    says: 'Feed-Signature is t=<seconds>,v1=<hex>, without spaces.',
    provedBy: [
      `${contract.signatures}: accepts the header: $says`,
      `${contract.signatures}: rejects the header: $says`,
    ],
  },
  R162: {
    says: 'The signature covers the timestamp, a dot and the exact bytes of the body.',
    provedBy: [
      `${contract.signatures}: rejects a body with %s`,
      `${contract.signatures}: accepts a signature made with openssl`,
      'packages/core/src/signature/signature.test.ts: creates a header that the stripe library verifies',
    ],
  },
  R163: {
    says: 'Every attempt is signed separately, at its own time.',
    provedBy: [
      `${sender('attempt/deliver')}: makes eight attempts at the documented offsets, freshly signed over the same bytes`,
    ],
  },
  R164: {
    says: 'Every attempt carries the same bytes.',
    provedBy: [
      `${sender('attempt/deliver')}: makes eight attempts at the documented offsets, freshly signed over the same bytes`,
      `${sender('create-sender')}: are sent unchanged in every attempt, even if the array changes`,
      `${sandbox('webhooks/deliveries/deliveries')}: make eight attempts over 63.5 minutes with the same bytes`,
      `${sandbox('webhooks/deliveries/deliveries')}: can be resent as a new delivery with the same bytes`,
    ],
  },
  R165: {
    says: 'Feed-Event-Id is the id in the body.',
    provedBy: [
      `${sender('attempt/deliver')}: delivers with the documented headers and the JSON of the event`,
    ],
  },
  R166: {
    says: 'Idempotency-Key is feed-event-<id>, the same in every attempt.',
    provedBy: [
      `${sender('attempt/deliver')}: delivers with the documented headers and the JSON of the event`,
    ],
  },
  R167: {
    says: 'The sender identifies itself in User-Agent.',
    provedBy: [
      `${sender('attempt/deliver')}: delivers with the documented headers and the JSON of the event`,
    ],
  },
  R168: {
    says: 'A 2xx is sent within 10 seconds, and only after the event is durable.',
    provedBy: [
      `${contract.answers}: 202 for a new event, after it is stored`,
      `${contract.faults}: 503 if the inbox times out, and 200 later if it stored the event anyway`,
      'test/chaos/kills/kill.test.ts: loses and duplicates nothing when killed between commit and response',
      'test/chaos/kills/faults.test.ts: loses, duplicates and invents nothing under kills, restarts and other faults',
      `${recovery}: a feed stays complete after an outage, a pause and a kill at every step`,
    ],
  },
  R169: {
    says: 'Slow work is queued and never runs within the request.',
    provedBy: [
      `${inbox}: has one job for each new entry, and none for a duplicate`,
      `${inbox}: stores no entry if its job cannot be queued`,
    ],
  },
  R170: {
    says: 'The event id has a unique constraint, and handling is idempotent.',
    provedBy: [
      `${inboxSuite}: stores one of fifty concurrent deliveries`,
      `${inbox}: handles nothing twice if a job arrives again`,
    ],
  },
  R171: {
    says: 'An unknown schema_version is quarantined and acknowledged.',
    provedBy: [`${contract.bodies}: $outcome: $says`],
  },
  R172: {
    says: 'Nothing is parsed or stored before the signature is verified.',
    provedBy: [
      `${contract.signatures}: rejects a body with %s`,
      `${contract.signatures}: rejects the signature of another secret without revealing either`,
    ],
  },
  R173: {
    says: 'A timestamp more than 300 seconds from the local clock is rejected, in both directions.',
    provedBy: [`${contract.signatures}: answers a delivery signed %i s from now with %i`],
  },
  R174: {
    says: 'A 4xx means that a retry cannot succeed, and a 5xx that it may.',
    provedBy: [
      `${contract.faults}: 503 while the inbox fails, and 202 once it works again`,
      `${contract.faults}: answers an authentic, fresh delivery only with 2xx, 429 or 503`,
      'packages/core/src/options.test.ts: answers no authentic delivery with a pausing status by default',
    ],
  },
  R175: {
    says: 'A duplicate is answered with 2xx and has no second effect.',
    provedBy: [
      `${contract.answers}: 200 for a duplicate`,
      `${inbox}: passes each event to its handler, whose writes happen once`,
    ],
  },
  R176: {
    says: 'A target is an https URL, and http is rejected.',
    provedBy: [
      `${sender('target/check-target')}: %s is allowed, and returned as a URL`,
      `${sender('target/check-target')}: rejects a target that is not a public https URL`,
      `${sender('target/targets')}: a delivery to %s with allowLocal %s is an error`,
      `${sandbox('webhooks/destinations/destinations')}: reject %s`,
    ],
  },
  R177: {
    says: 'A target contains no credentials.',
    provedBy: [
      `${sender('target/check-target')}: rejects a target that is not a public https URL`,
      `${sender('target/targets')}: a delivery to %s with allowLocal %s is an error`,
      `${sandbox('webhooks/destinations/destinations')}: are rejected for %s`,
    ],
  },
  R178: {
    says: 'No delivery connects to an address that is not public, in any notation.',
    provedBy: [
      `${sender('target/check-target')}: rejects an address that is not public in every notation`,
      `${sender('target/check-address')}: %s is %s, and rejected even with allowLocal`,
      `${sender('target/check-address')}: %s is public`,
      `${sender('target/targets')}: after an allowed one gets no connection, and the delivery is retried`,
      `${sender('target/targets')}: %j gets no connection`,
      `${sender('target/targets')}: in the URL itself gets no connection`,
      `${sandbox('webhooks/destinations/destinations')}: reject %s`,
      `${sandbox('webhooks/destinations/destinations')}: get no deliveries at an earlier local target`,
    ],
  },
  R179: {
    says: 'A redirect is a failed attempt and is never followed. In strict mode it is rejected at creation.',
    provedBy: [
      `${sandbox('webhooks/destinations/check-endpoint')}: rejects a URL that redirects with %d`,
      `${sender('attempt/deliver')}: counts a redirect as a failed attempt and does not follow it`,
      `${sandbox('webhooks/deliveries/delivery-faults')}: end_unlisted ends a delivery without pausing the destination`,
    ],
  },
  R180: {
    says: 'A target must be reachable within 10 seconds, and nothing is sent to check it.',
    provedBy: [
      `${sender('target/probe-target')}: connects to a reachable target and sends nothing`,
      `${sender('target/probe-target')}: times out during a slow DNS lookup or TLS handshake`,
      `${sandbox('webhooks/destinations/destinations')}: reject %s`,
    ],
  },
  R181: {
    says: 'A chat destination needs the complete URL of its official incoming webhook.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: are rejected for %s`,
      `${sandbox('webhooks/chats/chat-targets')}: is rejected for signed deliveries: %s`,
      `${sandbox('webhooks/chats/chats')}: get escaped messages in their own format, only in the journal`,
    ],
  },
  R182: {
    says: 'A chat gets its own format, without a signature or ids in headers.',
    provedBy: [
      `${sandbox('webhooks/chats/chats')}: get escaped messages in their own format, only in the journal`,
      `${sandbox('webhooks/chats/chats')}: posts messages without a signature, with the usual retries`,
    ],
  },
  R183: {
    says: 'Every kind of destination gets the selected events with their source links.',
    provedBy: [
      `${sandbox('webhooks/chats/chats')}: get escaped messages in their own format, only in the journal`,
      `${sandbox('webhooks/chats/chats')}: get messages within the size limit of Teams`,
    ],
  },
  R184: {
    says: 'Third-party text in a chat is escaped, mentions nobody and is limited in size.',
    provedBy: [
      `${sandbox('webhooks/chats/chats')}: get escaped messages in their own format, only in the journal`,
      `${sandbox('webhooks/chats/chats')}: get messages within the size limit of Teams`,
    ],
  },
  R185: {
    says: 'Development may use http and local networks. One option enables strict rules.',
    provedBy: [
      `${sender('target/check-target')}: with allowLocal`,
      `${sender('target/check-address')}: is allowed with allowLocal`,
      `${sender('target/targets')}: a delivery to %s with allowLocal %s is an error`,
      `${sandbox('webhooks/destinations/destinations')}: reject %s`,
    ],
  },
  R195: {
    says: 'No response, observation, record or error contains a secret.',
    provedBy: [
      `${client}: is in no error, whatever fails`,
      `${contract.signatures}: rejects the signature of another secret without revealing either`,
      'packages/core/src/signature/secret.test.ts: never shows a rejected secret',
      `${sender('create-sender')}: is in no record and no error, even if the receiver echoes the request`,
    ],
  },
  R196: {
    says: 'The key can be replaced without a restart.',
    provedBy: [
      `${client}: can be replaced without a restart`,
      `${client}: is read again once after a 401`,
      `${poller}: stops at a rejected key, and continues with a new one without a restart`,
    ],
  },
  R197: {
    says: 'A signed destination has its own secret, which begins with feed_whsec_ and is shown once.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: become active only after a test answered with 2xx`,
      `${sandbox('webhooks/destinations/destinations')}: are managed through the session and shown without secrets`,
    ],
  },
  R198: {
    says: 'The key of the HMAC is the whole secret, prefix included.',
    provedBy: [
      'packages/core/src/signature/signature.test.ts: creates a header that the stripe library verifies',
      `${contract.signatures}: accepts a signature made with openssl`,
    ],
  },
  R199: {
    says: 'The exact bytes are verified, never serialized JSON.',
    provedBy: [
      `${contract.signatures}: rejects a body with %s`,
      'packages/core/src/signature/signature.test.ts: verifies bytes, so a change within invalid UTF-8 is detected',
      'test/repo/packages/express-existing-apps.test.ts: rejects a body that express.json() has read, with the fix',
    ],
  },
  R200: {
    says: 'v1 is 64 lower-case hex digits.',
    provedBy: [`${contract.signatures}: rejects the header: $says`],
  },
  R201: {
    says: 'Signatures are compared in constant time.',
    provedBy: [
      'packages/core/src/signature/signature.test.ts: finds the signing secret among several',
      'packages/core/src/signature/signature.test.ts: is only ever compared in constant time',
    ],
  },
  R202: {
    says: 'During a rotation the current secret signs for 24 hours, then the new one, and never both.',
    provedBy: [
      `${sender('attempt/signing-secret')}: %s the right secret signs`,
      `${sender('attempt/signing-secret')}: an attempt %d ms from 24 hours is signed with the %s secret`,
      `${sender('attempt/signing-secret')}: switches secrets between retries at 24 hours of the clock, each with one v1`,
      'packages/core/src/signature/signature.test.ts: creates a header that the stripe library verifies',
      `${sender('attempt/deliver')}: delivers with the documented headers and the JSON of the event`,
      `${sandbox('webhooks/secrets/signing-secrets')}: switches secrets after exactly 24 hours, also between retries`,
    ],
  },
  R203: {
    says: 'During a rotation both secrets are accepted.',
    provedBy: [
      `${contract.signatures}: accepts either of two secrets, and reports the matching one`,
      `${contract.signatures}: accepts a new secret of the provider without a restart`,
    ],
  },
  R204: {
    says: 'The receiver reports the matching secret, so that the old one can be removed.',
    provedBy: [
      `${contract.signatures}: accepts either of two secrets, and reports the matching one`,
      `${inbox}: stores the signed body, secret and time, and counts the deliveries`,
      'packages/inbox/src/operate/secret-uses.test.ts: allow removing the old one only after the new one has signed',
    ],
  },
  R205: {
    says: 'A second rotation within the overlap is rejected, and the first can be cancelled.',
    provedBy: [
      `${sandbox('webhooks/secrets/signing-secrets')}: runs one at a time and can be cancelled`,
    ],
  },
  R206: {
    says: 'Deleting a destination deletes its address and secrets, and cancels pending deliveries.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: stores URLs and secrets encrypted, and erases deleted ones`,
      `${sandbox('webhooks/deliveries/deliveries')}: are cancelled on deletion, except an attempt in progress`,
    ],
  },
  R207: {
    says: 'An attempt in progress at the deletion may finish, and is not retried.',
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: are cancelled on deletion, except an attempt in progress`,
    ],
  },
  R208: {
    says: 'Addresses and secrets are encrypted in the database.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: stores URLs and secrets encrypted, and erases deleted ones`,
      `${sandbox('webhooks/destinations/destinations')}: opens only with its own key, which only its owner can read`,
    ],
  },
  R209: {
    says: 'There is an event of every documented type.',
    provedBy: [
      `${sender('fixtures/fixtures')}: has one event of each documented type, and one of an unknown type`,
      `${contract.answers}: 202 for every documented type, including the test delivery`,
      `${sandbox('seed/seed')}: has every known type, an unknown one, and ordered incidents`,
    ],
  },
  R210: {
    says: 'Unknown types are accepted and stored.',
    provedBy: [
      `${client}: match the filter and preserve unknown values`,
      `${contract.bodies}: $outcome: $says`,
      `${sandbox('seed/seed')}: has every known type, an unknown one, and ordered incidents`,
    ],
  },
  R211: {
    says: 'The source of an outage is the first-party incident.',
    provedBy: [
      `${sender('fixtures/fixtures')}: has one outage incident on an official status page`,
    ],
  },
  R212: {
    says: 'A destination_test has the same signed envelope and is never retried.',
    provedBy: [
      `${sender('attempt/deliver')}: does not retry a destination_test after a %d`,
      `${sandbox('webhooks/destinations/destinations')}: become active only after a test answered with 2xx`,
    ],
  },
  R214: {
    says: 'A test delivery is acknowledged and reaches no handler.',
    provedBy: [`${inbox}: passes no test delivery to a handler`],
  },
  R215: {
    says: 'Private activity is never delivered by webhook.',
    provedBy: [`${sandbox('webhooks/deliveries/deliveries')}: never contain private events`],
  },
  R216: {
    says: 'A destination selects by provider, category, type and confirmation.',
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: go only where the rules select the event`,
    ],
  },
  R218: {
    says: 'A request answered with 400 is not repeated unchanged.',
    provedBy: [`${client}: is not retried: %s`, `${poller}: stops if its filter is rejected`],
  },
  R219: {
    says: 'After a 401 there are no requests until the key is replaced.',
    provedBy: [
      `${client}: is not retried after a second 401`,
      `${poller}: stops at a rejected key, and continues with a new one without a restart`,
    ],
  },
  R220: {
    says: 'After a 403 polling stops, except for occasional probes.',
    provedBy: [`${poller}: checks once an hour whether Pro access is back`],
  },
  R221: {
    says: 'A 404 on account events ends only that stream.',
    provedBy: [`${client}: throw not_found if they are not enabled, while other requests work`],
  },
  R222: {
    says: 'A 429 delays requests by its scope and Retry-After, up to a month.',
    provedBy: [
      `${client}: of %s is waited for by Retry-After: %s`,
      `${client}: applies to every request of the client`,
      `${poller}: waits a month for its quota, across restarts`,
      `${pullFaults}: 429 with the scope $scope leaves the stored feed complete and exact`,
    ],
  },
  R223: {
    says: '5xx and network errors are retried with capped backoff and jitter.',
    provedBy: [
      `${client}: is retried: %s`,
      `${client}: waits at most a minute, and with jitter at least half of it`,
      `${poller}: continues after the service was unavailable`,
      `${pullFaults}: %s leaves the stored feed complete and exact`,
      `${pullFaults}: %s leave the stored feed complete and exact`,
    ],
  },
  R233: {
    says: 'An attempt has a timeout of 10 seconds, from the DNS lookup to the status.',
    provedBy: [
      `${sender('attempt/faults')}: ends an attempt without an answer`,
      `${sender('attempt/faults')}: ends an answer whose head trickles in, and closes the connection`,
      `${sender('attempt/faults')}: ends an attempt whose TLS handshake hangs`,
      `${sender('target/targets')}: ends the attempt after a slow DNS lookup, and sends nothing late`,
    ],
  },
  R234: {
    says: 'There are at most eight attempts, including the first.',
    provedBy: [
      `${sender('attempt/deliver')}: makes eight attempts at the documented offsets, freshly signed over the same bytes`,
      `${sandbox('webhooks/deliveries/deliveries')}: make eight attempts over 63.5 minutes with the same bytes`,
    ],
  },
  R235: {
    says: 'Retries back off from 30 seconds, doubling, up to an hour.',
    provedBy: [
      `${sender('answer/retry-delay')}: spreads eight attempts over 63.5 minutes`,
      `${sender('answer/retry-delay')}: adds up to 10 %, before the cap`,
      `${sandbox('webhooks/deliveries/deliveries')}: make eight attempts over 63.5 minutes with the same bytes`,
      `${sandbox('webhooks/deliveries/delivery-faults')}: jitter lengthens a backoff by at most 10 %`,
    ],
  },
  R236: {
    says: 'Retry-After is used only with 429, up to an hour, as seconds or as a date.',
    provedBy: [
      `${sender('answer/retry-delay')}: is ignored for every other status`,
      `${sender('answer/retry-delay')}: %s on a 429 after the second attempt`,
      `${sender('attempt/deliver')}: measures a Retry-After date against the clock`,
      `${sandbox('webhooks/deliveries/deliveries')}: wait for Retry-After on a 429, at most an hour`,
    ],
  },
  R238: {
    says: 'An overloaded receiver answers 429 with Retry-After.',
    provedBy: [
      `${contract.answers}: 429 with Retry-After over the limit of in-flight deliveries`,
      'packages/core/src/limits/retry-after.test.ts: spreads eight rejected attempts over hours',
    ],
  },
  R240: {
    says: 'The parser is chosen by schema_version.',
    provedBy: ['packages/core/src/event/parse-event.test.ts: $outcome: $says'],
  },
  R241: {
    says: 'The contracts of account events are the two documented ones.',
    provedBy: [
      `${api}: accepts only the known contract version for account events`,
      `${sandbox('account-events/account-events')}: are listed newest first on every page, each once`,
      `${sandbox('account-events/account-events')}: can be read singly, only by their own account`,
    ],
  },
  R242: {
    says: 'A cursor replaces after.',
    provedBy: [`${client}: are requested with after only on demand, and with a warning`],
  },
  R1: {
    says: 'Every event has the link to its original source.',
    provedBy: [
      `${sandbox('seed/seed')}: has early signals, corrections, retractions, null and absent members`,
    ],
  },
  R2: {
    says: 'The same change has the same id in pull, MCP and webhooks.',
    provedBy: [
      `${mcpTools}: lists the same as the API, with interchangeable cursors`,
      `${sandbox('webhooks/deliveries/deliveries')}: convert the API event to the webhook event`,
    ],
  },
  R3: {
    says: 'Pull is the complete stream, and includes early signals on request.',
    provedBy: [
      `${sandbox('events/events')}: lists early signals on request, and again once confirmed`,
    ],
  },
  R5: {
    says: 'Webhooks carry only events that match the delivery rules of the account.',
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: go only where the rules select the event`,
    ],
  },
  R6: {
    says: 'API keys are read-only.',
    provedBy: [`${sandbox('server/refusals')}: is rejected for its method: %s`],
  },
  R7: {
    says: 'Push and pull produce one record of each event, whatever fails meanwhile.',
    provedBy: [
      `${recovery}: a feed stays complete after an outage, a pause and a kill at every step`,
    ],
  },
  R8: {
    says: 'Following cursors skips no event, however many are written meanwhile.',
    provedBy: [`${sandbox('events/races')}: lose no event with 16 writers and a reader`],
  },
  R9: {
    says: 'The API needs an account with active Pro access.',
    provedBy: [`${sandbox('server/limits')}: charge every accepted request and no other`],
  },
  R10: {
    says: 'Private activity is only on the account endpoints.',
    provedBy: [
      `${sandbox('account-events/account-events')}: can be read singly, only by their own account`,
    ],
  },
  R11: {
    says: 'Every event has its evidence and the time when it was first observed.',
    provedBy: [
      `${sandbox('seed/seed')}: has early signals, corrections, retractions, null and absent members`,
    ],
  },
  R12: {
    says: 'An event has exactly the 22 documented members.',
    provedBy: [
      `${sandbox('events/events')}: returns only known members, and limits benchmark to 50`,
      `${sandbox('faults/faults')}: produce the documented faulty responses`,
      `${pullFaults}: %s leaves the stored feed complete and exact`,
    ],
  },
  R13: {
    says: 'Eight members of an event are required.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R17: {
    says: 'subjectType and subjectKey are strings, null or absent.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R18: {
    says: 'title is a string, and summary may be null.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R20: {
    says: 'canonicalUrl is a URI, null or absent.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R23: {
    says: 'firstObservedAt is when the service first observed the event.',
    provedBy: [
      `${sandbox('events/events')}: still supports the deprecated after`,
      `${sandbox('events/after')}: skip only events that share a time, at any page size`,
      `${sandbox('events/after')}: hold only later events, ordered by instant across offsets`,
    ],
  },
  R28: {
    says: 'detectedVia is a string, null or absent.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R31: {
    says: 'benchmark has only current and previous.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R32: {
    says: 'Each of the two has at most 50 properties, or is null.',
    provedBy: [
      `${sandbox('events/events')}: returns only known members, and limits benchmark to 50`,
    ],
  },
  R34: {
    says: 'previous is the evidence from before an update.',
    provedBy: [
      `${sandbox('seed/seed')}: has early signals, corrections, retractions, null and absent members`,
    ],
  },
  R35: {
    says: 'The steps of an outage contain their incident.',
    provedBy: [`${sandbox('events/events')}: selects the whole lifecycle with type=outage`],
  },
  R37: {
    says: 'Every content change is marked as a correction or a retraction.',
    provedBy: [
      `${sandbox('events/events')}: lists corrected and retracted events again, with the time`,
    ],
  },
  R41: {
    says: 'An incident names its first event.',
    provedBy: [`${sandbox('events/events')}: selects the whole lifecycle with type=outage`],
  },
  R42: {
    says: 'The phase of a step is one of four.',
    provedBy: [
      `${sandbox('seed/seed')}: has incidents in every phase, and timelines with optional members`,
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R43: {
    says: 'sequence is the position of a step in its thread, without gaps.',
    provedBy: [
      `${sandbox('events/races')}: number the steps of an incident without gaps or duplicates`,
      `${sandbox('seed/seed')}: has every known type, an unknown one, and ordered incidents`,
    ],
  },
  R44: {
    says: 'receiptCount is 1 or more.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R45: {
    says: 'An incident has a status from an open set.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R46: {
    says: 'An incident has the times when it started, was updated and was resolved, or null.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R47: {
    says: 'An incident repeats its root with five members.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R48: {
    says: 'Only single reads contain the timeline.',
    provedBy: [
      `${mcpTools}: returns a change by its id with the incident timeline`,
      `${sandbox('events/events')}: selects the whole lifecycle with type=outage`,
    ],
  },
  R49: {
    says: 'A timeline keeps its newest 100 steps and is marked if truncated.',
    provedBy: [`${sandbox('events/events')}: limits a timeline to its newest 100 steps`],
  },
  R51: {
    says: 'Every response has the usage, its limit, its period and the time of the reset.',
    provedBy: [
      `${sandbox('server/limits')}: accept the last request of a month and reject the next`,
    ],
  },
  R52: {
    says: 'requests includes the current request.',
    provedBy: [
      `${sandbox('server/limits')}: accept the last request of a month and reject the next`,
    ],
  },
  R53: {
    says: 'A period is a month, as YYYY-MM.',
    provedBy: [
      `${sandbox('server/limits')}: accept the last request of a month and reject the next`,
    ],
  },
  R54: {
    says: 'The period ends at the first instant of the next month, in UTC.',
    provedBy: [
      `${sandbox('server/limits')}: accept the last request of a month and reject the next`,
    ],
  },
  R55: {
    says: 'All keys of an account share its quota.',
    provedBy: [
      `${mcpRoutes}: costs one request: %s`,
      `${sandbox('server/limits')}: belong to the account, not to the key`,
    ],
  },
  R56: {
    says: 'An eventRef is opaque, stable and specific to an account.',
    provedBy: [
      `${sandbox('account-events/account-events')}: can be read singly, only by their own account`,
    ],
  },
  R57: {
    says: 'Two accounts have different references.',
    provedBy: [
      `${sandbox('account-events/account-events')}: have different references in another account`,
    ],
  },
  R59: {
    says: 'The subject of an account event has one of five types, a reference and a label.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R61: {
    says: 'An account event has its time and a title, and an optional summary.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R62: {
    says: 'An account event is active, corrected or retracted.',
    provedBy: [
      `${sandbox('account-events/account-events')}: are corrected by another event, and retracted in place`,
    ],
  },
  R63: {
    says: 'A correction names the event that it corrects.',
    provedBy: [
      `${sandbox('account-events/account-events')}: are corrected by another event, and retracted in place`,
    ],
  },
  R64: {
    says: 'An account event says whether it is eligible for immediate and digest notices.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R77: {
    says: 'Every rejection has an error and a code.',
    provedBy: [
      `${mcpRoutes}: rejects the method %s`,
      `${mcpRoutes}: rejects the key %s without a charge`,
      `${mcpRoutes}: rejects with the error object of the API: %s`,
      `${sandbox('server/refusals')}: is rejected for its parameters: %.80s`,
      `${sandbox('server/refusals')}: is rejected with an error object: %s`,
    ],
  },
  R79: {
    says: 'The codes are a closed list.',
    provedBy: [
      `${sandbox('server/refusals')}: is rejected for its parameters: %.80s`,
      `${sandbox('server/limits')}: charge every accepted request and no other`,
    ],
  },
  R80: {
    says: 'Rejections are application/json.',
    provedBy: [`${sandbox('server/refusals')}: is rejected for its parameters: %.80s`],
  },
  R94: {
    says: 'Each step of an outage is an event with its own id.',
    provedBy: [`${sandbox('events/events')}: selects the whole lifecycle with type=outage`],
  },
  R95: {
    says: 'Events can be confirmed, corrected and retracted, and incidents can continue.',
    provedBy: [
      `${sandbox('events/events')}: lists early signals on request, and again once confirmed`,
      `${sandbox('events/events')}: lists corrected and retracted events again, with the time`,
    ],
  },
  R96: {
    says: 'The operation is listRadarEvents, with a bearer key.',
    provedBy: [`${sandbox('documents/documents')}: is a valid OpenAPI 3.1 document, and public`],
  },
  R97: {
    says: 'limit is 1 to 200 and 50 by default. Anything else is rejected.',
    provedBy: [
      `${sandbox('server/refusals')}: is rejected for its parameters: %.80s`,
      `${sandbox('documents/documents')}: describes the parameters as the routes validate them`,
    ],
  },
  R99: {
    says: 'A modified cursor is rejected.',
    provedBy: [
      `${sandbox('state/cursor')}: is rejected with any bit changed`,
      `${sandbox('state/cursor')}: is rejected in any other spelling`,
    ],
  },
  R100: {
    says: 'provider matches exactly, and an unknown one has no events.',
    provedBy: [
      `${sandbox('events/events')}: filters by provider and type, and binds the cursor to them`,
    ],
  },
  R101: {
    says: 'type matches exactly, and outage is the whole lifecycle.',
    provedBy: [`${sandbox('events/events')}: selects the whole lifecycle with type=outage`],
  },
  R102: {
    says: 'confirmation is confirmed (the default) or all.',
    provedBy: [
      `${sandbox('events/events')}: lists early signals on request, and again once confirmed`,
      `${sandbox('server/refusals')}: is rejected for its parameters: %.80s`,
    ],
  },
  R103: {
    says: 'after is deprecated, exclusive, and oldest first.',
    provedBy: [`${sandbox('events/events')}: still supports the deprecated after`],
  },
  R105: {
    says: 'Without a cursor the newest events come first.',
    provedBy: [
      `${sandbox('events/events')}: lists newest first without a cursor, oldest first with one`,
    ],
  },
  R106: {
    says: 'With a cursor the oldest events come first.',
    provedBy: [
      `${sandbox('events/events')}: lists newest first without a cursor, oldest first with one`,
    ],
  },
  R107: {
    says: 'cursor and after exclude each other.',
    provedBy: [`${sandbox('server/refusals')}: is rejected for its parameters: %.80s`],
  },
  R108: {
    says: 'A page has data, nextCursor, hasMore and usage.',
    provedBy: [`${sandbox('events/events')}: returns a cursor for an empty feed`],
  },
  R109: {
    says: 'A page has rate limit headers.',
    provedBy: [`${sandbox('server/limits')}: accept 120 requests in a minute and reject the next`],
  },
  R110: {
    says: '400, 401, 403 and 429 are as documented, with their headers.',
    provedBy: [`${sandbox('server/refusals')}: gets only the headers of its rejection`],
  },
  R111: {
    says: 'Unknown parameters are ignored.',
    provedBy: [
      `${sandbox('server/refusals')}: is accepted with unknown or well-formed parameters: %.80s`,
    ],
  },
  R112: {
    says: 'A page has the events after its cursor, and says whether there are more.',
    provedBy: [
      `${sandbox('events/events')}: lists newest first without a cursor, oldest first with one`,
    ],
  },
  R113: {
    says: 'An empty feed has a cursor too.',
    provedBy: [
      `${sandbox('events/events')}: returns a cursor for an empty feed`,
      `${sandbox('events/events')}: leads to later events, or to all history if configured`,
    ],
  },
  R122: {
    says: 'Account events need both features.',
    provedBy: [
      `${sandbox('account-events/account-events')}: answer 404 while either feature is off`,
    ],
  },
  R123: {
    says: 'The key is checked first, then Pro access, limits, features and parameters.',
    provedBy: [
      `${sandbox('server/refusals')}: gets only the headers of its rejection`,
      `${sandbox('account-events/account-events')}: answer 404 while either feature is off`,
    ],
  },
  R124: {
    says: 'A cursor of account events belongs to its owner and its filters.',
    provedBy: [
      `${sandbox('account-events/account-events')}: have cursors bound to the account and filters, not to the key`,
    ],
  },
  R126: {
    says: 'A cursor outlives the key, and limit is not a filter.',
    provedBy: [
      `${sandbox('account-events/account-events')}: have cursors bound to the account and filters, not to the key`,
    ],
  },
  R127: {
    says: 'limit of account events is 1 to 100 and 50 by default.',
    provedBy: [
      `${sandbox('server/refusals')}: is rejected for its parameters: %.80s`,
      `${sandbox('documents/documents')}: describes the parameters as the routes validate them`,
    ],
  },
  R128: {
    says: 'A cursor of more than 2000 characters is rejected, and those of the sandbox are short.',
    provedBy: [
      `${sandbox('server/refusals')}: is rejected for its parameters: %.80s`,
      `${sandbox('account-events/account-events')}: have cursors bound to the account and filters, not to the key`,
    ],
  },
  R129: {
    says: 'type can be repeated up to five times, without duplicates.',
    provedBy: [
      `${sandbox('server/refusals')}: is rejected for its parameters: %.80s`,
      `${sandbox('account-events/account-events')}: are filtered by several types, and by subject`,
    ],
  },
  R130: {
    says: 'subjectType is one of five.',
    provedBy: [
      `${sandbox('server/refusals')}: is rejected for its parameters: %.80s`,
      `${sandbox('account-events/account-events')}: are filtered by several types, and by subject`,
    ],
  },
  R131: {
    says: 'Pages of account events go from new to old, even with a cursor.',
    provedBy: [
      `${sandbox('account-events/account-events')}: are listed newest first on every page, each once`,
    ],
  },
  R132: {
    says: 'A page of account events has its contract version.',
    provedBy: [
      `${sandbox('account-events/account-events')}: are listed newest first on every page, each once`,
    ],
  },
  R133: {
    says: 'Account events are rejected like events, and additionally with 404.',
    provedBy: [
      `${sandbox('documents/documents')}: matches every response, and detects a wrong one`,
    ],
  },
  R136: {
    says: 'A single account event has its contract version.',
    provedBy: [
      `${sandbox('account-events/account-events')}: can be read singly, only by their own account`,
    ],
  },
  R137: {
    says: 'Missing, guessed, malformed, foreign and disabled references get the same response.',
    provedBy: [
      `${sandbox('account-events/account-events')}: can be read singly, only by their own account`,
    ],
  },
  R138: {
    says: 'A single read has rate limit headers.',
    provedBy: [
      `${sandbox('account-events/account-events')}: can be read singly, only by their own account`,
    ],
  },
  R139: {
    says: 'The OpenAPI 3.1 document is public and free.',
    provedBy: [
      `${sandbox('documents/documents')}: is a valid OpenAPI 3.1 document, and public`,
      `${sandbox('server/limits')}: charge every accepted request and no other`,
      'test/compat/openapi/document.slow.ts: passes redocly without errors or warnings',
      'test/compat/openapi/document.slow.ts: generates a typed client that works',
      `${prism}: reads a page with requests that match the document`,
      `${prism}: reads account events, a page and a single one`,
      'test/integration/sandbox-answers.test.ts: gets only responses that the OpenAPI document describes',
    ],
  },
  R140: {
    says: 'There is a developer page.',
    provedBy: [`${sandbox('documents/documents')}: link to each other`],
  },
  R141: {
    says: 'A manifest tells agents how to start.',
    provedBy: [
      `${mcpRoutes}: is named by the manifest for agents`,
      `${sandbox('documents/documents')}: link to each other`,
    ],
  },
  R142: {
    says: 'The control page needs its own session, and rejects API keys.',
    provedBy: [
      `${sandbox('server/session')}: is required for every action, and an API key is rejected`,
      `${sandbox('webhooks/destinations/destinations')}: are managed through the session and shown without secrets`,
      `${sandbox('server/session')}: opens the control page with the printed link`,
    ],
  },
  R143: {
    says: 'All bodies of the API are JSON.',
    provedBy: [`${sandbox('server/refusals')}: is rejected with an error object: %s`],
  },
  R186: {
    says: 'A key is sent only as a bearer token.',
    provedBy: [
      `${sandbox('state/api-keys')}: may be sent with the scheme in any case`,
      `${sandbox('state/api-keys')}: is rejected in the same way: %s`,
    ],
  },
  R187: {
    says: 'Keys begin with feed_live_.',
    provedBy: [`${sandbox('state/api-keys')}: is shown once and stored as a hash`],
  },
  R188: {
    says: 'Without Pro access a key gets 403 at once, and works again with it.',
    provedBy: [`${sandbox('server/limits')}: charge every accepted request and no other`],
  },
  R189: {
    says: 'Keys have names and are created in the control page.',
    provedBy: [`${sandbox('state/api-keys')}: is shown once and stored as a hash`],
  },
  R190: {
    says: 'A key is shown once.',
    provedBy: [`${sandbox('state/api-keys')}: is shown once and stored as a hash`],
  },
  R191: {
    says: 'A key is stored as a hash.',
    provedBy: [`${sandbox('state/api-keys')}: is shown once and stored as a hash`],
  },
  R192: {
    says: 'The last use of a key is stored.',
    provedBy: [`${sandbox('state/api-keys')}: records its last use by the sandbox clock`],
  },
  R193: {
    says: 'A revoked key is rejected from the next request on.',
    provedBy: [
      `${sandbox('state/api-keys')}: is rejected at the next request after it is revoked`,
      `${sandbox('server/limits')}: share the limit of a minute exactly`,
    ],
  },
  R194: {
    says: 'All invalid keys get the same response.',
    provedBy: [
      `${sandbox('state/api-keys')}: is rejected in the same way: %s`,
      `${sandbox('state/api-keys')}: is rejected at the next request after it is revoked`,
    ],
  },
  R213: {
    says: 'A test delivery is never in the feed.',
    provedBy: [
      `${sandbox('seed/seed')}: has every known type, an unknown one, and ordered incidents`,
      `${sandbox('webhooks/destinations/destinations')}: become active only after a test answered with 2xx`,
    ],
  },
  R217: {
    says: 'Unconfirmed events need confirmation=all.',
    provedBy: [
      `${sandbox('events/events')}: lists early signals on request, and again once confirmed`,
      `${sandbox('webhooks/deliveries/deliveries')}: go only where the rules select the event`,
    ],
  },
  R224: {
    says: '429 says how long to wait, which limit was reached, and the monthly usage.',
    provedBy: [
      `${mcpRoutes}: rejects accounts without Pro or allowance like the API`,
      `${sandbox('server/limits')}: accept 120 requests in a minute and reject the next`,
      `${sandbox('server/limits')}: accept the last request of a month and reject the next`,
    ],
  },
  R225: {
    says: 'A request that fails validation costs one.',
    provedBy: [`${sandbox('server/limits')}: charge every accepted request and no other`],
  },
  R226: {
    says: 'An account has 100,000 requests per month across the API.',
    provedBy: [
      `${mcpRoutes}: costs one request: %s`,
      `${sandbox('server/limits')}: accept the last request of a month and reject the next`,
    ],
  },
  R227: {
    says: 'An account has 120 requests per clock minute.',
    provedBy: [`${sandbox('server/limits')}: accept 120 requests in a minute and reject the next`],
  },
  R228: {
    says: 'Successful reads have six rate limit headers, with times as dates.',
    provedBy: [`${sandbox('server/limits')}: accept 120 requests in a minute and reject the next`],
  },
  R229: {
    says: 'Headers and the usage object agree.',
    provedBy: [`${sandbox('server/limits')}: accept 120 requests in a minute and reject the next`],
  },
  R230: {
    says: 'The last request within a limit passes and the next does not, across all processes.',
    provedBy: [
      `${sandbox('server/limits')}: share the limit of a minute exactly`,
      `${sandbox('server/limits')}: accept 120 requests in a minute and reject the next`,
    ],
  },
  R231: {
    says: '401, 403 and 429 cost nothing; 400, 404 and 405 cost one.',
    provedBy: [`${sandbox('server/limits')}: charge every accepted request and no other`],
  },
  R232: {
    says: 'An account has at most five destinations of any kind.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: are limited to five, even when created concurrently`,
    ],
  },
  R239: {
    says: 'The API is version 1.0.0 below /v1.',
    provedBy: [`${sandbox('documents/documents')}: is a valid OpenAPI 3.1 document, and public`],
  },
  R243: {
    says: 'after without a cursor is marked as deprecated.',
    provedBy: [`${sandbox('events/events')}: still supports the deprecated after`],
  },
  R244: {
    says: 'HEAD has no response body and costs one. An unknown path is 404 and costs one.',
    provedBy: [
      `${sandbox('server/refusals')}: gets no body for HEAD and is charged`,
      `${sandbox('server/refusals')}: is rejected for its address after the key check: %.40s`,
    ],
  },
  R245: {
    says: 'Public documents allow every origin, and responses to a key are not cached.',
    provedBy: [
      `${mcpRoutes}: sends rate limit headers with every response`,
      `${sandbox('documents/documents')}: is a valid OpenAPI 3.1 document, and public`,
      `${sandbox('server/refusals')}: is rejected for its parameters: %.80s`,
    ],
  },
  R39: {
    says: 'An incident has its own opaque id, which is not the id of an event.',
    provedBy: [
      `${sandbox('events/events')}: shows each timeline step in full, under a separate thread id`,
      `${poller}: does not confuse the id of an incident with the id of an event`,
    ],
  },
  R40: {
    says: 'The incident id of the source is given only if the source shows it.',
    provedBy: [`${sandbox('seed/seed')}: has a source incident id only if the source URL shows it`],
  },
  R50: {
    says: 'Each timeline step has its id, type, phase, position, texts, source and time.',
    provedBy: [
      `${sandbox('events/events')}: shows each timeline step in full, under a separate thread id`,
      `${sandbox('documents/api-schemas')}: says which members of %s are required and may be null`,
      `${api}: accepts an incident timeline`,
    ],
  },
  R60: {
    says: 'The label of a subject is readable for its owner.',
    provedBy: [
      `${sandbox('account-events/account-events')}: have readable labels without internal ids`,
    ],
  },
  R65: {
    says: 'data of an account event is open and untrusted.',
    provedBy: [`${client}: preserve their data unchanged`],
  },
  R76: {
    says: 'A webhook has the category "other" if the event has none.',
    provedBy: [
      `${sandbox('webhooks/deliveries/webhook-event')}: fills every required member from a minimal event`,
      `${api}: converts the smallest valid API event`,
    ],
  },
  R78: {
    says: 'The client uses status and code, and never the text of an error.',
    provedBy: [
      `${client}: is classified by its status, whatever the body says`,
      `${client}: is not retried: %s`,
      `${mcp}: map the error code %s`,
      `${prism}: turns a %i into its error`,
    ],
  },
  R81: {
    says: 'A destination is new, active or paused, and starts as new.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: become active only after a test answered with 2xx`,
      `${sandbox('webhooks/destinations/change-destination')}: gets no deliveries until it accepts a test, and cannot be paused again`,
    ],
  },
  R82: {
    says: 'Only an accepted test makes a new destination active.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: become active only after a test answered with 2xx`,
      `${sandbox('webhooks/destinations/destinations')}: stay %s after a failed test, and become active after another`,
    ],
  },
  R83: {
    says: 'Only an accepted test makes a paused destination active again.',
    provedBy: [
      `${sandbox('webhooks/destinations/change-destination')}: gets no deliveries until it accepts a test, and cannot be paused again`,
      `${sandbox('webhooks/deliveries/deliveries')}: end on %i, pause the destination and cancel its due deliveries`,
    ],
  },
  R87: {
    says: 'A failed test leaves the state unchanged in each of the three.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: stay %s after a failed test, and become active after another`,
    ],
  },
  R88: {
    says: 'An accepted test leaves an active destination active.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: stay %s after a failed test, and become active after another`,
    ],
  },
  R89: {
    says: 'A pause status in response to a test pauses nothing.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: stay %s after a failed test, and become active after another`,
    ],
  },
  R90: {
    says: 'Exhausted retries leave the destination active.',
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: make eight attempts over 63.5 minutes with the same bytes`,
    ],
  },
  R91: {
    says: 'Deliveries to a new destination are recorded as skipped.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: become active only after a test answered with 2xx`,
    ],
  },
  R92: {
    says: 'While a destination is paused, new events are skipped, and due retries are dropped, or held on request.',
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: end on %i, pause the destination and cancel its due deliveries`,
      `${sandbox('webhooks/deliveries/delivery-faults')}: hold_paused holds due deliveries until the destination resumes`,
      `${sandbox('webhooks/deliveries/housekeeping')}: sends held deliveries to a destination that is active again`,
    ],
  },
  R93: {
    says: 'A response to an attempt from before the last state change pauses nothing.',
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: do not pause a reactivated destination by a late answer`,
    ],
  },
  R98: {
    says: 'The client sends a cursor back unchanged, and creates none.',
    provedBy: [
      `${client}: are requested with an opaque cursor`,
      `${client}: keep the requested cursor if the last page has none`,
    ],
  },
  R237: {
    says: 'A rotation takes 24 hours, polls are a minute apart, a signature is valid for 300 seconds, a timeline has 100 steps and a benchmark 50 properties.',
    provedBy: [
      `${sandbox('webhooks/secrets/signing-secrets')}: switches secrets after exactly 24 hours, also between retries`,
      `${poller}: polls less often if the monthly quota would run out`,
      `${contract.signatures}: answers a delivery signed %i s from now with %i`,
      `${sandbox('events/events')}: limits a timeline to its newest 100 steps`,
      `${sandbox('events/events')}: returns only known members, and limits benchmark to 50`,
    ],
  },
}
