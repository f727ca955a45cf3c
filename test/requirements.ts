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
const mcpAtSandbox = 'test/e2e/mcp.test.ts'
const mcpRoutes = 'packages/sandbox/src/mcp/mcp-routes.test.ts'
const mcpTools = 'packages/sandbox/src/mcp/tools.test.ts'
const poller = 'packages/client/src/create-poller.test.ts'
const pagesAhead = 'packages/client/src/poll/read-stream.test.ts'
const pages = 'packages/inbox/src/pull/accept-page.test.ts'
const recovery = 'test/e2e/recovery.slow.ts'
const pullFaults = 'test/e2e/pull-faults.slow.ts'
const inboxSuite = 'test/contract/delivery-inbox.ts'
const inbox = 'packages/inbox/src/inbox.test.ts'
const prism = 'test/openapi/prism.slow.ts'
const sender = (file: string) => `packages/sender/src/${file}.test.ts`
const sandbox = (file: string) => `packages/sandbox/src/${file}.test.ts`

/** The rows in scope, by number. */
export const requirements: Record<string, Requirement> = {
  R14: {
    says: 'The id of an event is stable, and consumers dedupe by it.',
    provedBy: [
      `${inboxSuite}: stores an event once, and its exact bytes`,
      `${pages}: at once with pushes of the same events, each once`,
    ],
  },
  R15: {
    says: 'A type that nobody knows is accepted and kept as it came.',
    provedBy: [
      `${contract.bodies}: $outcome: $says`,
      `${inbox}: hands each event to its handler, whose writes happen once`,
    ],
  },
  R16: {
    says: 'category is optional and open; where the API has none, the envelope says other.',
    provedBy: [
      `${api}: keeps what nobody knows: types, states, precisions, phases, members`,
      `${api}: makes an event of the least that the API may send`,
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R19: {
    says: 'The source link is kept with every record, and an event without one is not stored.',
    provedBy: [
      `${api}: may not have %s`,
      `${client}: that cannot be read are left out, with a warning, and hold up nothing`,
      `${poller}: sets aside what is no event, and goes on`,
    ],
  },
  R21: {
    says: 'A value of evidenceState that nobody knows is kept.',
    provedBy: [`${client}: come as the filter says, and as they came, unknown values included`],
  },
  R22: {
    says: 'A value of confirmationState that nobody knows is kept, and counts as not confirmed.',
    provedBy: [
      `${api}: keeps what nobody knows: types, states, precisions, phases, members`,
      `${pages}: are handled again: %s`,
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R24: {
    says: 'No time of publication means that none is known, and no other time takes its place.',
    provedBy: [`${api}: has no time where the source gave none: %s`],
  },
  R25: {
    says: 'The same holds for the time of an update.',
    provedBy: [`${api}: has no time where the source gave none: %s`],
  },
  R26: {
    says: 'A date is no point in time, and neither is a time of unknown precision.',
    provedBy: [
      `${api}: keeps a date as it is written, whatever the zone`,
      `${api}: gives only the text for the precision %s`,
    ],
  },
  R27: {
    says: 'The same holds for the precision of an update.',
    provedBy: [`${api}: keeps a date as it is written, whatever the zone`],
  },
  R29: {
    says: 'Of an event that was corrected the newer content counts.',
    provedBy: [
      `${pages}: are handled again: %s`,
      `${pages}: to what is older are left alone`,
      `${poller}: sees what has changed, behind the cursor at once and where it was within the hour`,
      `${sandbox('events/events')}: gives corrected and retracted events a new place, and says since when`,
    ],
  },
  R30: {
    says: 'A retracted event is marked as one and keeps its link.',
    provedBy: [
      `${pages}: are handled again: %s`,
      `${pages}: and were retracted before anybody saw them are a retraction`,
      `${sandbox('events/events')}: gives corrected and retracted events a new place, and says since when`,
    ],
  },
  R33: {
    says: 'What stands in a benchmark is opaque and kept.',
    provedBy: [`${api}: keeps what nobody knows: types, states, precisions, phases, members`],
  },
  R36: {
    says: 'Neither of confirmation and evidence is derived from the other.',
    provedBy: [`${api}: puts what both ways have into the envelope, and the rest beside it`],
  },
  R38: {
    says: 'An optional member that is absent and one that is null mean the same.',
    provedBy: [
      `${api}: may lack each of the others, or have null there, which means the same`,
      `${pages}: only in what is no content are not`,
      `${sandbox('seed/seed')}: has what clients must cope with`,
      `${sandbox('seed/seed')}: has every optional member with a value, as null, and not at all`,
    ],
  },
  R58: {
    says: 'A type of account event that nobody knows is kept all the same.',
    provedBy: [
      `${api}: keeps types and states that nobody knows`,
      `${sandbox('seed/seed')}: has private events of every type`,
    ],
  },
  R66: {
    says: 'A webhook body is in snake case and says schema_version 1.0.',
    provedBy: [`${sender('fixtures/fixtures')}: covers the values and the nulls of the interface`],
  },
  R67: {
    says: 'The id in the signed body is the key; the header repeats it.',
    provedBy: [
      `${contract.answers}: 202 for a header with another id, which goes into quarantine`,
      `${contract.answers}: 200 for a known event whose header has another id`,
    ],
  },
  R68: {
    says: 'The set of event types is open.',
    provedBy: [`${contract.bodies}: $outcome: $says`],
  },
  R69: {
    says: 'created_at is when the event was first observed, so the replay window never looks at it.',
    provedBy: [`${contract.signatures}: answers a delivery signed %i s from now with %i`],
  },
  R70: {
    says: 'data has its nine required members, three of them nullable, and both members of subject.',
    provedBy: [`${contract.bodies}: $outcome: $says`],
  },
  R71: {
    says: 'benchmark holds current and previous; what is over its bounds is kept and noted.',
    provedBy: [
      `${contract.bodies}: $outcome: $says`,
      'packages/core/src/event/notes.test.ts: notes a benchmark over its bounds',
    ],
  },
  R72: {
    says: 'The envelope is the same for every type.',
    provedBy: [`${contract.answers}: 202 for every documented type, the test delivery included`],
  },
  R73: {
    says: 'What is displayed comes from title, summary, subject, evidence and source, never from parts of the type.',
    provedBy: [
      'test/browser/screens.slow.ts: shows one entry: what it says, its bytes, and how to send it again',
      'test/browser/hostile.slow.ts: in any field of any screen stay text',
    ],
  },
  R74: {
    says: 'The subject of a benchmark event is of type benchmark.',
    provedBy: [
      `${sender('fixtures/fixtures')}: benchmarks carry their evidence, and a new model has no previous`,
    ],
  },
  R75: {
    says: 'A webhook may carry an unconfirmed event, and a confirmation that nobody knows.',
    provedBy: [`${contract.bodies}: $outcome: $says`],
  },
  R76a: {
    says: 'An event has the required members with their types, formats and a usable id; the rest is set aside.',
    provedBy: [
      `${contract.bodies}: $outcome: $says`,
      `${inboxSuite}: stores whatever an event may hold: $says`,
    ],
  },
  R84: {
    says: 'A live delivery answered 400, 401, 403, 404, 405, 410 or 422 pauses the destination.',
    provedBy: [
      `${sender('answer/classify')}: exactly seven statuses pause`,
      `${sender('attempt/statuses')}: every status from 200 to 599 ends a delivery, or leads to another attempt, as it should`,
      `${sender('attempt/deliver')}: a pause status ends the delivery`,
    ],
  },
  R85: {
    says: 'After such an answer the same event is not sent again.',
    provedBy: [`${sender('attempt/deliver')}: a pause status ends the delivery`],
  },
  R86: {
    says: 'A test delivery is sent at once and never again.',
    provedBy: [`${sender('attempt/deliver')}: a destination_test that gets %d is not sent again`],
  },
  R104: {
    says: 'The client sends after only where it is told to, and then warns.',
    provedBy: [`${client}: are asked for by time only when told to, and with a warning`],
  },
  R114: {
    says: 'The first run asks for 50 events.',
    provedBy: [
      `${client}: are the newest first, 50 of them, where the first cursor leads on from here`,
      `${poller}: brings the newest events and whatever follows, oldest first, each once`,
    ],
  },
  R115: {
    says: 'A page is dealt with and deduped by id before the next cursor counts.',
    provedBy: [
      `${poller}: brings everything where the first cursor leads through all, known events or not`,
      `${pages}: with the cursor behind them, and handled once`,
    ],
  },
  R116: {
    says: 'The cursor is kept in the transaction that stores its page.',
    provedBy: [
      `${pages}: or nothing of them is: neither events nor cursor`,
      `${pagesAhead}: is prepared, and stored after it`,
      `${pagesAhead}: is dropped if that fails, and read again later`,
    ],
  },
  R117: {
    says: 'While there is more, the next page is asked for at once.',
    provedBy: [
      `${client}: are followed over all pages, where the first cursor leads through all`,
      `${poller}: brings everything where the first cursor leads through all, known events or not`,
    ],
  },
  R118: {
    says: 'Where there is no more, the poller waits for 60 seconds, or longer to make the month last.',
    provedBy: [`${poller}: polls less often where the month would not last`],
  },
  R119: {
    says: 'A crash between a page and its cursor re-reads the page and doubles nothing.',
    provedBy: [
      `${poller}: re-reads and doubles nothing, whichever step it was killed at`,
      'test/e2e/kill-poller.slow.ts: killed at each step of each page brings each event once',
      `${recovery}: a feed comes whole through an outage, a pause and a death at every step`,
    ],
  },
  R120: {
    says: 'More without a cursor that leads there is a fault: stop, and say so.',
    provedBy: [
      `${client}: end with an error where more is promised under a cursor that is %s`,
      `${poller}: does not go round in a circle`,
      `${pullFaults}: %s leaves exactly the feed`,
    ],
  },
  R121: {
    says: 'A last page without a cursor leaves the stored one as it is.',
    provedBy: [
      `${client}: keep the cursor that was sent where a last page has none`,
      `${pages}: without ever losing the cursor`,
      `${poller}: reads on from its cursor, whether a page has one or not`,
      `${pullFaults}: %s leaves exactly the feed`,
    ],
  },
  R125: {
    says: 'A cursor belongs to its service, account, endpoint and filters.',
    provedBy: [`${poller}: keeps a cursor for each filter and account`],
  },
  R134: {
    says: 'Account events are read down to a known one, and now and then as a whole.',
    provedBy: [
      `${client}: are read down to a known one, and no further`,
      `${client}: come newest first, over all pages`,
    ],
  },
  R135: {
    says: 'Account events under an unknown contract halt the stream, and what was sent is kept.',
    provedBy: [
      `${client}: halt under another contract, and keep what was sent`,
      `${pullFaults}: account events under another contract are refused, and hold up nothing else`,
    ],
  },
  R4: {
    says: 'MCP has four read-only tools.',
    provedBy: [`${mcpTools}: are four, and none of them writes`],
  },
  R144: {
    says: 'The MCP endpoint speaks Streamable HTTP and takes the keys of the API.',
    provedBy: [
      `${mcpRoutes}: costs one request: %s`,
      `${mcpRoutes}: refuses the key %s for free`,
      `packages/sandbox/src/mcp/sdk-clients.test.ts: lists and calls every tool, and finds the answers as described`,
    ],
  },
  R145: {
    says: 'Every authenticated request to it costs one, and a refused key nothing.',
    provedBy: [
      `${mcpRoutes}: costs one request: %s`,
      `${mcpRoutes}: refuses the key %s for free`,
      `${mcpAtSandbox}: calls all tools with one request each, and one to connect`,
    ],
  },
  R146: {
    says: 'There are exactly four tools, and their annotations say that none writes.',
    provedBy: [`${mcpTools}: are four, and none of them writes`],
  },
  R147: {
    says: 'list_changes lists and polls what the pull API does.',
    provedBy: [
      `${mcpTools}: lists what the API lists, and each takes the cursors of the other`,
      `${mcpTools}: filters as the API does`,
      `${mcpAtSandbox}: goes on behind a cursor, as the pull API does`,
    ],
  },
  R148: {
    says: 'get_change gets one event, with the timeline of its incident.',
    provedBy: [`${mcpTools}: gets a change by its id, with the timeline of its incident`],
  },
  R149: {
    says: 'get_deprecations has confirmed facts of deprecation and removal, and no others.',
    provedBy: [
      `${mcpTools}: lists confirmed facts for as long as they stand`,
      `${mcpTools}: has nothing but models that were deprecated or removed`,
      `${mcpTools}: goes on behind its cursor, the oldest first, under the same filters only`,
    ],
  },
  R150: {
    says: 'check_model resolves an exact id, or a curated alias, to the latest confirmed fact.',
    provedBy: [
      `${mcpTools}: gives the latest confirmed fact about an exact id, and its source`,
      `${mcpTools}: resolves curated aliases, where no id is exactly so`,
    ],
  },
  R153: {
    says: 'Replacements, dates and countdowns are there only where structured evidence is.',
    provedBy: [
      `${mcpTools}: counts down only where structured evidence has a date`,
      `test/e2e/mcp-agent.test.ts: advises on models and tells outages, with sources and no guesses`,
    ],
  },
  R154: {
    says: 'Every tool describes what it takes and what it answers.',
    provedBy: [
      `${mcpTools}: are four, and none of them writes`,
      `packages/sandbox/src/mcp/sdk-clients.test.ts: lists and calls every tool, and finds the answers as described`,
    ],
  },
  R155: {
    says: 'Keys, Pro access and limits are refused by status, and the rest as an error of the tool.',
    provedBy: [
      `${mcpRoutes}: refuses an account without Pro and one without allowance, as the API does`,
      `${mcpRoutes}: says with every answer what is left`,
      `${mcpTools}: refuses %s`,
      `${mcpAtSandbox}: throws what a tool refuses by the code of the service`,
    ],
  },
  R156: {
    says: 'A foreign Host or Origin is refused.',
    provedBy: [
      `${mcpRoutes}: refuses %s, before it looks at the key`,
      `${mcpRoutes}: takes its own address as Origin`,
    ],
  },
  R157: {
    says: 'It speaks 2026-07-28 and the three revisions before.',
    provedBy: [
      `${mcpRoutes}: speaks %s`,
      `${mcpRoutes}: speaks 2026-07-28, and says for how long what it says may be kept`,
    ],
  },
  R151: {
    says: 'unknown means that no confirmed fact matches.',
    provedBy: [
      `${mcpAtSandbox}: tells unknown from ambiguous, and resolves what it was told to choose from`,
      `${mcpTools}: knows nothing of %j, which is not exact`,
      `${mcp}: are the four, typed, and cost one request each after one to connect`,
    ],
  },
  R152: {
    says: 'ambiguous names the providers to choose from.',
    provedBy: [
      `${mcpTools}: is ambiguous where two providers have it, until one is named`,
      `${mcp}: are the four, typed, and cost one request each after one to connect`,
    ],
  },
  R158: {
    says: 'Connecting costs few requests, and what was learned of the server is kept.',
    provedBy: [
      `${mcpRoutes}: speaks 2026-07-28, and says for how long what it says may be kept`,
      `${mcpAtSandbox}: calls all tools with one request each, and one to connect`,
      `${mcp}: are the four, typed, and cost one request each after one to connect`,
      `${mcp}: work with a server of an older revision, without opening its stream`,
    ],
  },
  R159: {
    says: 'Events are delivered with POST, at least once.',
    provedBy: [
      `${sender('attempt/deliver')}: delivers with the documented headers and the JSON of the event`,
      `${sender('attempt/statuses')}: every status from 200 to 599 ends a delivery, or leads to another attempt, as it should`,
      `${contract.answers}: 405 for %s`,
      `${sandbox('webhooks/deliveries/deliveries')}: carry an event to every active destination, signed`,
      'test/e2e/kill-sandbox.slow.ts: during its attempts, twice, with a thousand deliveries pending or more, loses none',
      'test/e2e/kill-sandbox.slow.ts: between two attempts goes on with the next one',
    ],
  },
  R160: {
    says: 'The content type is application/json; the receiver does not depend on it.',
    provedBy: [
      `${sender('attempt/deliver')}: delivers with the documented headers and the JSON of the event`,
      `${contract.bodies}: 202 whatever the content type: %s`,
    ],
  },
  R161: {
    says: 'Feed-Signature is t=<seconds>,v1=<hex>, without spaces.',
    provedBy: [
      `${contract.signatures}: accepts the header: $says`,
      `${contract.signatures}: refuses the header: $says`,
    ],
  },
  R162: {
    says: 'The signature covers the time, a dot and the exact bytes of the body.',
    provedBy: [
      `${contract.signatures}: refuses a body with %s`,
      `${contract.signatures}: accepts what openssl has signed`,
      'packages/core/src/signature/signature.test.ts: makes what the stripe library verifies as it is',
    ],
  },
  R163: {
    says: 'Every attempt is signed anew, at its own time.',
    provedBy: [
      `${sender('attempt/deliver')}: eight attempts, due at the documented offsets, freshly signed over the same bytes`,
    ],
  },
  R164: {
    says: 'Every attempt carries the same bytes.',
    provedBy: [
      `${sender('attempt/deliver')}: eight attempts, due at the documented offsets, freshly signed over the same bytes`,
      `${sender('create-sender')}: are sent exactly, the same in every attempt, whatever becomes of the array`,
      `${sandbox('webhooks/deliveries/deliveries')}: are retried eight times over 63.5 minutes, which pass in seconds, with the same bytes`,
      `${sandbox('webhooks/deliveries/deliveries')}: can be sent once more, as a delivery of its own with the same bytes`,
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
    says: 'The sender says who it is in User-Agent.',
    provedBy: [
      `${sender('attempt/deliver')}: delivers with the documented headers and the JSON of the event`,
    ],
  },
  R168: {
    says: 'A 2xx comes within 10 seconds, and only after the event is durable.',
    provedBy: [
      `${contract.answers}: 202 for a new event, once it is stored`,
      `${contract.faults}: 503 when the inbox takes too long, and 200 if it made it all the same`,
      'test/e2e/kill.test.ts: killed between commit and answer loses nothing and doubles nothing',
      'test/e2e/faults.test.ts: loses, doubles and invents nothing under kills, restarts and whatever else',
      `${recovery}: a feed comes whole through an outage, a pause and a death at every step`,
    ],
  },
  R169: {
    says: 'Slow work is queued and never done within the request.',
    provedBy: [
      `${inbox}: holds one job for each new entry, and none for a duplicate`,
      `${inbox}: stores no entry whose job cannot be queued`,
    ],
  },
  R170: {
    says: 'The event id stands under a unique constraint, and handling it is idempotent.',
    provedBy: [
      `${inboxSuite}: stores one of fifty at once`,
      `${inbox}: handles nothing a second time when a job comes again`,
    ],
  },
  R171: {
    says: 'An unknown schema_version goes into quarantine, and is acknowledged.',
    provedBy: [`${contract.bodies}: $outcome: $says`],
  },
  R172: {
    says: 'Nothing is parsed, and nothing happens, before the signature holds.',
    provedBy: [
      `${contract.signatures}: refuses a body with %s`,
      `${contract.signatures}: refuses the signature of another secret, and says nothing of either`,
    ],
  },
  R173: {
    says: 'A time more than 300 seconds from our clock is refused, on either side.',
    provedBy: [`${contract.signatures}: answers a delivery signed %i s from now with %i`],
  },
  R174: {
    says: 'A 4xx is for what sending again cannot mend, a 5xx for what passes.',
    provedBy: [
      `${contract.faults}: 503 when the inbox fails, and 202 once it is well again`,
      `${contract.faults}: answers no authentic, fresh delivery with anything but 2xx, 429 and 503`,
      'packages/core/src/options.test.ts: answers nothing authentic with a pausing status by default',
    ],
  },
  R175: {
    says: 'A delivery of a stored event is answered 2xx and has no second effect.',
    provedBy: [
      `${contract.answers}: 200 for an event that is known already`,
      `${inbox}: hands each event to its handler, whose writes happen once`,
    ],
  },
  R176: {
    says: 'A target is an https URL; http is refused.',
    provedBy: [
      `${sender('target/check-target')}: %s is allowed, and given back as a URL`,
      `${sender('target/check-target')}: what is no public https URL is refused`,
      `${sender('target/targets')}: a delivery to %s with allowLocal %s is an error`,
      `${sandbox('webhooks/destinations/destinations')}: refuse %s`,
    ],
  },
  R177: {
    says: 'A target holds no credentials.',
    provedBy: [
      `${sender('target/check-target')}: what is no public https URL is refused`,
      `${sender('target/targets')}: a delivery to %s with allowLocal %s is an error`,
      `${sandbox('webhooks/destinations/destinations')}: are refused for %s`,
    ],
  },
  R178: {
    says: 'No delivery goes to an address that is not public, in any spelling, at any connect.',
    provedBy: [
      `${sender('target/check-target')}: an address that is not public is refused in every spelling`,
      `${sender('target/check-address')}: %s is %s, and refused even with allowLocal`,
      `${sender('target/check-address')}: %s is public`,
      `${sender('target/targets')}: after one that was not is not connected to, and the delivery goes on`,
      `${sender('target/targets')}: %j: nothing is connected to`,
      `${sender('target/targets')}: is not connected to where it stands in the URL itself`,
      `${sandbox('webhooks/destinations/destinations')}: refuse %s`,
      `${sandbox('webhooks/destinations/destinations')}: send nothing to a local target that was made before`,
    ],
  },
  R179: {
    says: 'A redirect is a failed attempt, is never followed, and is refused at creation in strict mode.',
    provedBy: [
      `${sandbox('webhooks/destinations/check-endpoint')}: refuses a URL that redirects with %d`,
      `${sender('attempt/deliver')}: a redirect is a failed attempt, and is not followed`,
      `${sandbox('webhooks/deliveries/delivery-faults')}: end_unlisted ends a delivery without a pause`,
    ],
  },
  R180: {
    says: 'A target must be reachable within 10 seconds; nothing is sent to find out.',
    provedBy: [
      `${sender('target/probe-target')}: a target that can be connected to is reached, and gets nothing`,
      `${sender('target/probe-target')}: a target that takes too long, in the look-up of its name or in TLS, is not reached`,
      `${sandbox('webhooks/destinations/destinations')}: refuse %s`,
    ],
  },
  R181: {
    says: 'A chat is a destination only by the whole address of its official incoming webhook.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: are refused for %s`,
      `${sandbox('webhooks/chats/chat-targets')}: is no place for signed deliveries: %s`,
      `${sandbox('webhooks/chats/chats')}: get messages in their own format, escaped, with the source, in the journal and nowhere else`,
    ],
  },
  R182: {
    says: 'A chat gets its own format, without a signature and without ids in headers.',
    provedBy: [
      `${sandbox('webhooks/chats/chats')}: get messages in their own format, escaped, with the source, in the journal and nowhere else`,
      `${sandbox('webhooks/chats/chats')}: posts the message without a signature, and retries as it does everywhere`,
    ],
  },
  R183: {
    says: 'Every kind of destination gets what the rules select, with the link to its source.',
    provedBy: [
      `${sandbox('webhooks/chats/chats')}: get messages in their own format, escaped, with the source, in the journal and nowhere else`,
      `${sandbox('webhooks/chats/chats')}: stay within the size that Teams takes, whatever the text`,
    ],
  },
  R184: {
    says: 'Third-party text in a chat is escaped, mentions nobody and stays within the size.',
    provedBy: [
      `${sandbox('webhooks/chats/chats')}: get messages in their own format, escaped, with the source, in the journal and nowhere else`,
      `${sandbox('webhooks/chats/chats')}: stay within the size that Teams takes, whatever the text`,
    ],
  },
  R185: {
    says: 'Development may use http and its own networks; strict rules are one switch away.',
    provedBy: [
      `${sender('target/check-target')}: with allowLocal`,
      `${sender('target/check-address')}: is allowed with allowLocal`,
      `${sender('target/targets')}: a delivery to %s with allowLocal %s is an error`,
      `${sandbox('webhooks/destinations/destinations')}: refuse %s`,
    ],
  },
  R195: {
    says: 'No secret stands in an answer, an observation, a record or an error.',
    provedBy: [
      `${client}: stands in no error, whatever fails`,
      `${contract.signatures}: refuses the signature of another secret, and says nothing of either`,
      'packages/core/src/signature/secret.test.ts: never says what a refused secret is',
      `${sender('create-sender')}: is in no record and no error, even where the receiver echoes all it gets`,
    ],
  },
  R196: {
    says: 'The key can be replaced without a restart.',
    provedBy: [
      `${client}: may change without a restart`,
      `${client}: that was replaced while a request was under way is tried once`,
      `${poller}: stops at a refused key, and goes on with another without a restart`,
    ],
  },
  R197: {
    says: 'A signed destination has a secret of its own, which begins with feed_whsec_ and is shown once.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: are new, become active by a test that is answered 2xx, and stay as they are by another`,
      `${sandbox('webhooks/destinations/destinations')}: are managed in the session, as JSON, and shown without their credentials`,
    ],
  },
  R198: {
    says: 'The key of the HMAC is the whole secret, prefix included.',
    provedBy: [
      'packages/core/src/signature/signature.test.ts: makes what the stripe library verifies as it is',
      `${contract.signatures}: accepts what openssl has signed`,
    ],
  },
  R199: {
    says: 'The exact bytes are verified, never JSON written anew.',
    provedBy: [
      `${contract.signatures}: refuses a body with %s`,
      'packages/core/src/signature/signature.test.ts: hashes bytes and not text: a change within invalid UTF-8 is a change',
      'test/packages/express-existing-apps.test.ts: refuses what express.json() has read, with the sentence that mends it',
    ],
  },
  R200: {
    says: 'v1 is 64 lower-case hex digits.',
    provedBy: [`${contract.signatures}: refuses the header: $says`],
  },
  R201: {
    says: 'Signatures are compared in constant time.',
    provedBy: [
      'packages/core/src/signature/signature.test.ts: finds the secret that signed, among several',
      'packages/core/src/signature/signature.test.ts: is compared in constant time and in no other way',
    ],
  },
  R202: {
    says: 'In a rotation the current secret signs for 24 hours, then the new one; never both.',
    provedBy: [
      `${sender('attempt/signing-secret')}: %s the right secret signs`,
      `${sender('attempt/signing-secret')}: an attempt %d ms from 24 hours is signed with the %s secret`,
      `${sender('attempt/signing-secret')}: the retries of one delivery change over at 24 hours of the clock, each with one v1`,
      'packages/core/src/signature/signature.test.ts: makes what the stripe library verifies as it is',
      `${sender('attempt/deliver')}: delivers with the documented headers and the JSON of the event`,
      `${sandbox('webhooks/secrets/signing-secrets')}: changes over at 24 hours to the millisecond, in the midst of retries too`,
    ],
  },
  R203: {
    says: 'During a rotation both secrets are accepted.',
    provedBy: [
      `${contract.signatures}: accepts either of two secrets, and reports which one matched`,
      `${contract.signatures}: accepts a new secret as soon as the provider has it, without a restart`,
    ],
  },
  R204: {
    says: 'The receiver says which secret matched, so that the old one can go.',
    provedBy: [
      `${contract.signatures}: accepts either of two secrets, and reports which one matched`,
      `${inbox}: keeps what was signed, by whom and when, and counts the deliveries`,
      'packages/inbox/src/operate/secret-uses.test.ts: let the old one go once the new one has signed, and not before',
    ],
  },
  R205: {
    says: 'A second rotation within the overlap is refused; the first can be cancelled.',
    provedBy: [
      `${sandbox('webhooks/secrets/signing-secrets')}: is one at a time, and can be cancelled`,
    ],
  },
  R206: {
    says: 'Deleting a destination erases its address and secrets and cancels what is pending.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: holds no address and no secret that could be read, and none at all of what was deleted`,
      `${sandbox('webhooks/deliveries/deliveries')}: are cancelled when the destination is deleted, but for an attempt under way`,
    ],
  },
  R207: {
    says: 'An attempt under way at the deletion may finish, and is not retried.',
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: are cancelled when the destination is deleted, but for an attempt under way`,
    ],
  },
  R208: {
    says: 'Addresses and secrets are encrypted in the database.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: holds no address and no secret that could be read, and none at all of what was deleted`,
      `${sandbox('webhooks/destinations/destinations')}: is opened with its own key only, which is made once and for its owner`,
    ],
  },
  R209: {
    says: 'There is an event of every documented type.',
    provedBy: [
      `${sender('fixtures/fixtures')}: has one event of each documented type, and one of an unknown type`,
      `${contract.answers}: 202 for every documented type, the test delivery included`,
      `${sandbox('seed/seed')}: has every type that the feed has, one that nobody knows, and incidents in order`,
    ],
  },
  R210: {
    says: 'Unknown types are accepted and kept.',
    provedBy: [
      `${client}: come as the filter says, and as they came, unknown values included`,
      `${contract.bodies}: $outcome: $says`,
      `${sandbox('seed/seed')}: has every type that the feed has, one that nobody knows, and incidents in order`,
    ],
  },
  R211: {
    says: 'The source of an outage is the first-party incident.',
    provedBy: [
      `${sender('fixtures/fixtures')}: the outage is one incident on the first-party status page`,
    ],
  },
  R212: {
    says: 'A destination_test has the same signed envelope and is never sent again.',
    provedBy: [
      `${sender('attempt/deliver')}: a destination_test that gets %d is not sent again`,
      `${sandbox('webhooks/destinations/destinations')}: are new, become active by a test that is answered 2xx, and stay as they are by another`,
    ],
  },
  R214: {
    says: 'A test delivery is acknowledged and reaches no handler.',
    provedBy: [`${inbox}: never hands a test delivery to a handler`],
  },
  R215: {
    says: 'Private activity is never delivered by webhook.',
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: are of events only, never of private activity`,
    ],
  },
  R216: {
    says: 'A destination selects by provider, category, type and confirmation.',
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: go only where the rules select the event`,
    ],
  },
  R218: {
    says: 'What was answered with 400 is not asked again unchanged.',
    provedBy: [
      `${client}: is not tried again: %s`,
      `${poller}: asks no more where its filter is refused`,
    ],
  },
  R219: {
    says: 'After a 401 nothing is asked until there is another key.',
    provedBy: [
      `${client}: that is refused is not tried again`,
      `${poller}: stops at a refused key, and goes on with another without a restart`,
    ],
  },
  R220: {
    says: 'After a 403 polling stops, but for a probe now and then.',
    provedBy: [`${poller}: asks once an hour whether Pro access is back`],
  },
  R221: {
    says: 'A 404 on account events ends that stream and nothing else.',
    provedBy: [`${client}: end where they are not enabled, and nothing else does`],
  },
  R222: {
    says: 'A 429 is waited for as its scope and Retry-After say, be it a month.',
    provedBy: [
      `${client}: of %s is waited for as told: %s`,
      `${client}: holds for every request of the client`,
      `${poller}: waits a month for its allowance if told to, whoever is restarted meanwhile`,
      `${pullFaults}: 429 of the scope $scope leaves exactly the feed`,
    ],
  },
  R223: {
    says: '5xx and network faults are tried again with capped backoff and jitter.',
    provedBy: [
      `${client}: is tried again: %s`,
      `${client}: never waits longer than a minute, and by chance down to half of it`,
      `${poller}: outlives a service that is away`,
      `${pullFaults}: %s leaves exactly the feed`,
      `${pullFaults}: %s leave exactly the feed`,
    ],
  },
  R233: {
    says: 'An attempt has 10 seconds, from the look-up of the name to the status.',
    provedBy: [
      `${sender('attempt/faults')}: ends an attempt that gets no answer`,
      `${sender('attempt/faults')}: ends an answer whose head drips, and closes the connection`,
      `${sender('attempt/faults')}: ends an attempt whose TLS handshake gets no answer`,
      `${sender('target/targets')}: a look-up that takes too long ends the attempt, and nothing is sent late`,
    ],
  },
  R234: {
    says: 'There are at most eight attempts, the first included.',
    provedBy: [
      `${sender('attempt/deliver')}: eight attempts, due at the documented offsets, freshly signed over the same bytes`,
      `${sandbox('webhooks/deliveries/deliveries')}: are retried eight times over 63.5 minutes, which pass in seconds, with the same bytes`,
    ],
  },
  R235: {
    says: 'Retries back off from 30 seconds, doubling, up to an hour.',
    provedBy: [
      `${sender('answer/retry-delay')}: eight attempts are due within 63.5 minutes`,
      `${sender('answer/retry-delay')}: adds up to 10 %, before the cap`,
      `${sandbox('webhooks/deliveries/deliveries')}: are retried eight times over 63.5 minutes, which pass in seconds, with the same bytes`,
      `${sandbox('webhooks/deliveries/delivery-faults')}: jitter stretches a backoff by at most a tenth`,
    ],
  },
  R236: {
    says: 'Retry-After counts on 429 alone, up to an hour, as seconds or as a date.',
    provedBy: [
      `${sender('answer/retry-delay')}: counts on no other status`,
      `${sender('answer/retry-delay')}: %s on a 429 after the second attempt`,
      `${sender('attempt/deliver')}: a Retry-After that is a date counts from the clock`,
      `${sandbox('webhooks/deliveries/deliveries')}: wait as long as Retry-After on a 429 says, at most an hour`,
    ],
  },
  R238: {
    says: 'A receiver that is overloaded answers 429 with Retry-After.',
    provedBy: [
      `${contract.answers}: 429 with Retry-After for what is over the limit on deliveries under way`,
      'packages/core/src/limits/retry-after.test.ts: makes eight refused attempts span hours',
    ],
  },
  R240: {
    says: 'The parser is chosen by schema_version.',
    provedBy: ['packages/core/src/event/parse-event.test.ts: $outcome: $says'],
  },
  R241: {
    says: 'The contracts of account events are the two that are documented.',
    provedBy: [
      `${api}: of account events says the one contract that is known`,
      `${sandbox('account-events/account-events')}: come newest first on every page, each once`,
      `${sandbox('account-events/account-events')}: are there one by one, and for nobody else`,
    ],
  },
  R242: {
    says: 'A cursor takes the place of after.',
    provedBy: [`${client}: are asked for by time only when told to, and with a warning`],
  },
  R1: {
    says: 'Every event carries the link to its original source.',
    provedBy: [`${sandbox('seed/seed')}: has what clients must cope with`],
  },
  R2: {
    says: 'The same change has the same id on pull, over MCP and in a webhook.',
    provedBy: [
      `${mcpTools}: lists what the API lists, and each takes the cursors of the other`,
      `${sandbox('webhooks/deliveries/deliveries')}: write the webhook event from the event of the API`,
    ],
  },
  R3: {
    says: 'Pull is the complete stream, and has early signals for those who ask for them.',
    provedBy: [
      `${sandbox('events/events')}: shows early signals to those who ask for them, and again once they are confirmed`,
    ],
  },
  R5: {
    says: "Webhooks carry only what the account's delivery rules select.",
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: go only where the rules select the event`,
    ],
  },
  R6: {
    says: 'Nothing that an API key can do writes.',
    provedBy: [`${sandbox('server/refusals')}: for its method: %s`],
  },
  R7: {
    says: 'Push and pull come to one record of each event, whatever fails on the way.',
    provedBy: [
      `${recovery}: a feed comes whole through an outage, a pause and a death at every step`,
    ],
  },
  R8: {
    says: 'Following cursors skips no event, however many are written meanwhile.',
    provedBy: [`${sandbox('events/races')}: lose nothing with 16 writers and a reader`],
  },
  R9: {
    says: 'The API needs an account with active Pro access.',
    provedBy: [
      `${sandbox('server/limits')}: charges what it lets in, whatever becomes of it, and nothing else`,
    ],
  },
  R10: {
    says: 'Private activity is on the account endpoints alone.',
    provedBy: [
      `${sandbox('account-events/account-events')}: are there one by one, and for nobody else`,
    ],
  },
  R11: {
    says: 'Every event says how it was established and when it was first observed.',
    provedBy: [`${sandbox('seed/seed')}: has what clients must cope with`],
  },
  R12: {
    says: 'An event has the 22 members that are named, and no others.',
    provedBy: [
      `${sandbox('events/events')}: has members that are absent, members that are null, and no others than named`,
      `${sandbox('faults/faults')}: make answers that a client must cope with`,
      `${pullFaults}: %s leaves exactly the feed`,
    ],
  },
  R13: {
    says: 'Eight members of an event are required.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R17: {
    says: 'subjectType and subjectKey are text, null or absent.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R18: {
    says: 'title is text; summary may be null.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R20: {
    says: 'canonicalUrl is a URI, null or absent.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R23: {
    says: 'firstObservedAt is when the service first observed the event.',
    provedBy: [
      `${sandbox('events/events')}: still knows after, which is deprecated`,
      `${sandbox('events/after')}: skip nothing but what shares a time, however small they are`,
      `${sandbox('events/after')}: are strictly after it, and ordered by instant whatever the offset`,
    ],
  },
  R28: {
    says: 'detectedVia is text, null or absent.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R31: {
    says: 'benchmark has current and previous and nothing else.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R32: {
    says: 'Each of the two has at most 50 properties, or is null.',
    provedBy: [
      `${sandbox('events/events')}: has members that are absent, members that are null, and no others than named`,
    ],
  },
  R34: {
    says: 'previous is the evidence from before an update.',
    provedBy: [`${sandbox('seed/seed')}: has what clients must cope with`],
  },
  R35: {
    says: 'The steps of an outage carry their incident.',
    provedBy: [`${sandbox('events/events')}: takes outage for the whole lifecycle`],
  },
  R37: {
    says: 'Content never changes in silence.',
    provedBy: [
      `${sandbox('events/events')}: gives corrected and retracted events a new place, and says since when`,
    ],
  },
  R41: {
    says: 'An incident names its first event.',
    provedBy: [`${sandbox('events/events')}: takes outage for the whole lifecycle`],
  },
  R42: {
    says: 'The phase of a step is one of four.',
    provedBy: [
      `${sandbox('seed/seed')}: has incidents in every phase, and a timeline whose steps lack what they may`,
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R43: {
    says: 'sequence is the place of a step in its thread, without gaps.',
    provedBy: [
      `${sandbox('events/races')}: number the steps of an incident without gaps or repeats`,
      `${sandbox('seed/seed')}: has every type that the feed has, one that nobody knows, and incidents in order`,
    ],
  },
  R44: {
    says: 'receiptCount is 1 or more.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R45: {
    says: 'An incident has a status, from an open set.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R46: {
    says: 'An incident says when it started, was updated and was resolved, or null.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R47: {
    says: 'An incident repeats its root, with five members.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R48: {
    says: 'The timeline is in detailed reads only.',
    provedBy: [
      `${mcpTools}: gets a change by its id, with the timeline of its incident`,
      `${sandbox('events/events')}: takes outage for the whole lifecycle`,
    ],
  },
  R49: {
    says: 'A timeline keeps its newest 100 steps and says that it was cut.',
    provedBy: [`${sandbox('events/events')}: keeps a timeline to its newest 100 steps`],
  },
  R51: {
    says: 'Every answer says what was used, of how much, in which period, until when.',
    provedBy: [
      `${sandbox('server/limits')}: lets the last request of a month pass and refuses the next, until the month is over`,
    ],
  },
  R52: {
    says: 'requests counts the request that is answered.',
    provedBy: [
      `${sandbox('server/limits')}: lets the last request of a month pass and refuses the next, until the month is over`,
    ],
  },
  R53: {
    says: 'A period is a month, as YYYY-MM.',
    provedBy: [
      `${sandbox('server/limits')}: lets the last request of a month pass and refuses the next, until the month is over`,
    ],
  },
  R54: {
    says: 'It ends with the first instant of the next month, in UTC.',
    provedBy: [
      `${sandbox('server/limits')}: lets the last request of a month pass and refuses the next, until the month is over`,
    ],
  },
  R55: {
    says: 'All keys of an account share what it may use.',
    provedBy: [
      `${mcpRoutes}: costs one request: %s`,
      `${sandbox('server/limits')}: belong to the account, not to the key`,
    ],
  },
  R56: {
    says: 'An eventRef is opaque, stable and of one account.',
    provedBy: [
      `${sandbox('account-events/account-events')}: are there one by one, and for nobody else`,
    ],
  },
  R57: {
    says: 'Two accounts have different references.',
    provedBy: [
      `${sandbox('account-events/account-events')}: have other references in another account`,
    ],
  },
  R59: {
    says: 'The subject of an account event has one of five types, a reference and a label.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R61: {
    says: 'An account event says when it occurred, and has a title and perhaps a summary.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R62: {
    says: 'An account event is active, corrected or retracted.',
    provedBy: [
      `${sandbox('account-events/account-events')}: are corrected by another event, and retracted where they are`,
    ],
  },
  R63: {
    says: 'A correction names the event that it corrects.',
    provedBy: [
      `${sandbox('account-events/account-events')}: are corrected by another event, and retracted where they are`,
    ],
  },
  R64: {
    says: 'An account event says whether it is eligible for immediate and digest notices.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R77: {
    says: 'Every refusal has an error and a code.',
    provedBy: [
      `${mcpRoutes}: answers only POST, and not %s`,
      `${mcpRoutes}: refuses the key %s for free`,
      `${mcpRoutes}: refuses in the shape of the API: %s`,
      `${sandbox('server/refusals')}: for its parameters: %.80s`,
      `${sandbox('server/refusals')}: in the one shape, whatever it is: %s`,
    ],
  },
  R79: {
    says: 'The codes are a closed list of ours.',
    provedBy: [
      `${sandbox('server/refusals')}: for its parameters: %.80s`,
      `${sandbox('server/limits')}: charges what it lets in, whatever becomes of it, and nothing else`,
    ],
  },
  R80: {
    says: 'Refusals are application/json.',
    provedBy: [`${sandbox('server/refusals')}: for its parameters: %.80s`],
  },
  R94: {
    says: 'Each step of an outage is an event with an id of its own.',
    provedBy: [`${sandbox('events/events')}: takes outage for the whole lifecycle`],
  },
  R95: {
    says: 'Events are confirmed, corrected and retracted, and incidents go on, as decided.',
    provedBy: [
      `${sandbox('events/events')}: shows early signals to those who ask for them, and again once they are confirmed`,
      `${sandbox('events/events')}: gives corrected and retracted events a new place, and says since when`,
    ],
  },
  R96: {
    says: 'The operation is listRadarEvents, with a bearer key.',
    provedBy: [`${sandbox('documents/documents')}: is a valid OpenAPI 3.1 document, and public`],
  },
  R97: {
    says: 'limit is 1 to 200 and 50 by default; anything else is refused.',
    provedBy: [
      `${sandbox('server/refusals')}: for its parameters: %.80s`,
      `${sandbox('documents/documents')}: says of the parameters what the routes check`,
    ],
  },
  R99: {
    says: 'A cursor that was changed is refused.',
    provedBy: [
      `${sandbox('state/cursor')}: is refused with any bit of it changed`,
      `${sandbox('state/cursor')}: is refused in any other spelling`,
    ],
  },
  R100: {
    says: 'provider is exact; an unknown one has no events.',
    provedBy: [
      `${sandbox('events/events')}: filters by provider and type, and the cursor belongs to the filter`,
    ],
  },
  R101: {
    says: 'type is exact; outage is the whole lifecycle.',
    provedBy: [`${sandbox('events/events')}: takes outage for the whole lifecycle`],
  },
  R102: {
    says: 'confirmation is confirmed, by default, or all.',
    provedBy: [
      `${sandbox('events/events')}: shows early signals to those who ask for them, and again once they are confirmed`,
      `${sandbox('server/refusals')}: for its parameters: %.80s`,
    ],
  },
  R103: {
    says: 'after is deprecated, exclusive, and oldest first.',
    provedBy: [`${sandbox('events/events')}: still knows after, which is deprecated`],
  },
  R105: {
    says: 'Without a cursor the newest come first.',
    provedBy: [
      `${sandbox('events/events')}: gives the newest first without a cursor, and the oldest first with one`,
    ],
  },
  R106: {
    says: 'With a cursor the oldest come first.',
    provedBy: [
      `${sandbox('events/events')}: gives the newest first without a cursor, and the oldest first with one`,
    ],
  },
  R107: {
    says: 'cursor and after exclude each other.',
    provedBy: [`${sandbox('server/refusals')}: for its parameters: %.80s`],
  },
  R108: {
    says: 'A page has data, nextCursor, hasMore and usage.',
    provedBy: [`${sandbox('events/events')}: of an empty feed gives a cursor all the same`],
  },
  R109: {
    says: 'A page comes with the headers of the limits.',
    provedBy: [
      `${sandbox('server/limits')}: lets request 120 of a minute pass and refuses the next, until the minute is over`,
    ],
  },
  R110: {
    says: '400, 401, 403 and 429 are as documented, with their headers.',
    provedBy: [`${sandbox('server/refusals')}: has the headers of its refusal, and no others`],
  },
  R111: {
    says: 'Unknown parameters are ignored.',
    provedBy: [
      `${sandbox('server/refusals')}: is not refused for what is unknown or well-formed: %.80s`,
    ],
  },
  R112: {
    says: 'A page is what comes after its cursor, and says whether there is more.',
    provedBy: [
      `${sandbox('events/events')}: gives the newest first without a cursor, and the oldest first with one`,
    ],
  },
  R113: {
    says: 'An empty feed has a cursor too.',
    provedBy: [
      `${sandbox('events/events')}: of an empty feed gives a cursor all the same`,
      `${sandbox('events/events')}: leads to what comes after it, unless it is told to lead to all history`,
    ],
  },
  R122: {
    says: 'Account events need both features.',
    provedBy: [
      `${sandbox('account-events/account-events')}: are not there while either feature is off, whatever is asked`,
    ],
  },
  R123: {
    says: 'The key is checked first, then Pro access, limits, features and parameters.',
    provedBy: [
      `${sandbox('server/refusals')}: has the headers of its refusal, and no others`,
      `${sandbox('account-events/account-events')}: are not there while either feature is off, whatever is asked`,
    ],
  },
  R124: {
    says: 'A cursor of account events belongs to its owner and its filters.',
    provedBy: [
      `${sandbox('account-events/account-events')}: have cursors that belong to the account and the filters, and to no key`,
    ],
  },
  R126: {
    says: 'It outlives the key, and limit is no filter.',
    provedBy: [
      `${sandbox('account-events/account-events')}: have cursors that belong to the account and the filters, and to no key`,
    ],
  },
  R127: {
    says: 'limit of account events is 1 to 100 and 50 by default.',
    provedBy: [
      `${sandbox('server/refusals')}: for its parameters: %.80s`,
      `${sandbox('documents/documents')}: says of the parameters what the routes check`,
    ],
  },
  R128: {
    says: 'A cursor of more than 2000 characters is refused; ours are short.',
    provedBy: [
      `${sandbox('server/refusals')}: for its parameters: %.80s`,
      `${sandbox('account-events/account-events')}: have cursors that belong to the account and the filters, and to no key`,
    ],
  },
  R129: {
    says: 'type is repeated for several, each once, five at most.',
    provedBy: [
      `${sandbox('server/refusals')}: for its parameters: %.80s`,
      `${sandbox('account-events/account-events')}: are filtered by several types, and by subject`,
    ],
  },
  R130: {
    says: 'subjectType is one of five.',
    provedBy: [
      `${sandbox('server/refusals')}: for its parameters: %.80s`,
      `${sandbox('account-events/account-events')}: are filtered by several types, and by subject`,
    ],
  },
  R131: {
    says: 'Pages of account events go from new to old, with a cursor too.',
    provedBy: [
      `${sandbox('account-events/account-events')}: come newest first on every page, each once`,
    ],
  },
  R132: {
    says: 'A page of account events says its contract.',
    provedBy: [
      `${sandbox('account-events/account-events')}: come newest first on every page, each once`,
    ],
  },
  R133: {
    says: 'Account events are refused as events are, and with 404.',
    provedBy: [
      `${sandbox('documents/documents')}: holds for every answer, and would be broken by a wrong one`,
    ],
  },
  R136: {
    says: 'A single account event says its contract.',
    provedBy: [
      `${sandbox('account-events/account-events')}: are there one by one, and for nobody else`,
    ],
  },
  R137: {
    says: 'Missing, guessed, malformed, foreign and switched off cannot be told apart.',
    provedBy: [
      `${sandbox('account-events/account-events')}: are there one by one, and for nobody else`,
    ],
  },
  R138: {
    says: 'A single read has the headers of the limits.',
    provedBy: [
      `${sandbox('account-events/account-events')}: are there one by one, and for nobody else`,
    ],
  },
  R139: {
    says: 'The description is OpenAPI 3.1, public and free.',
    provedBy: [
      `${sandbox('documents/documents')}: is a valid OpenAPI 3.1 document, and public`,
      `${sandbox('server/limits')}: charges what it lets in, whatever becomes of it, and nothing else`,
      'test/openapi/document.slow.ts: has nothing that redocly objects to',
      'test/openapi/document.slow.ts: makes a client whose types hold, and which works',
      `${prism}: reads a page, and asks for it as the description says`,
      `${prism}: reads private events, a page and a single one`,
      'test/e2e/sandbox-answers.test.ts: gets no answer that the OpenAPI document does not describe',
    ],
  },
  R140: {
    says: 'There is a page for developers.',
    provedBy: [`${sandbox('documents/documents')}: name each other`],
  },
  R141: {
    says: 'A manifest tells agents how to begin.',
    provedBy: [
      `${mcpRoutes}: is named by the manifest for agents`,
      `${sandbox('documents/documents')}: name each other`,
    ],
  },
  R142: {
    says: 'The control page needs its own session, and no API key will do.',
    provedBy: [
      `${sandbox('server/session')}: is needed for every action, and an API key is no session`,
      `${sandbox('webhooks/destinations/destinations')}: are managed in the session, as JSON, and shown without their credentials`,
      `${sandbox('server/session')}: opens the control page by its printed address`,
    ],
  },
  R143: {
    says: 'All bodies of the API are JSON.',
    provedBy: [`${sandbox('server/refusals')}: in the one shape, whatever it is: %s`],
  },
  R186: {
    says: 'A key is sent as a bearer token, and nowhere else.',
    provedBy: [
      `${sandbox('state/api-keys')}: may be sent with the scheme in any case`,
      `${sandbox('state/api-keys')}: is refused in one way: %s`,
    ],
  },
  R187: {
    says: 'Keys begin with feed_live_.',
    provedBy: [`${sandbox('state/api-keys')}: is shown once, and kept as a hash`],
  },
  R188: {
    says: 'Without Pro access a key is answered 403, at once, and works again with it.',
    provedBy: [
      `${sandbox('server/limits')}: charges what it lets in, whatever becomes of it, and nothing else`,
    ],
  },
  R189: {
    says: 'Keys have names and are made in the control page.',
    provedBy: [`${sandbox('state/api-keys')}: is shown once, and kept as a hash`],
  },
  R190: {
    says: 'A key is shown once.',
    provedBy: [`${sandbox('state/api-keys')}: is shown once, and kept as a hash`],
  },
  R191: {
    says: 'A key is kept as a hash.',
    provedBy: [`${sandbox('state/api-keys')}: is shown once, and kept as a hash`],
  },
  R192: {
    says: 'The last use of a key is kept.',
    provedBy: [
      `${sandbox('state/api-keys')}: says when it was last used, by the clock of the sandbox`,
    ],
  },
  R193: {
    says: 'A revoked key is unknown from the next request on.',
    provedBy: [
      `${sandbox('state/api-keys')}: is no longer known at the next request once it is revoked`,
      `${sandbox('server/limits')}: share what is left of a minute to the last request`,
    ],
  },
  R194: {
    says: 'Every key that does not work is refused alike.',
    provedBy: [
      `${sandbox('state/api-keys')}: is refused in one way: %s`,
      `${sandbox('state/api-keys')}: is no longer known at the next request once it is revoked`,
    ],
  },
  R213: {
    says: 'A test delivery is never in the feed.',
    provedBy: [
      `${sandbox('seed/seed')}: has every type that the feed has, one that nobody knows, and incidents in order`,
      `${sandbox('webhooks/destinations/destinations')}: are new, become active by a test that is answered 2xx, and stay as they are by another`,
    ],
  },
  R217: {
    says: 'Unconfirmed events come with confirmation=all only.',
    provedBy: [
      `${sandbox('events/events')}: shows early signals to those who ask for them, and again once they are confirmed`,
      `${sandbox('webhooks/deliveries/deliveries')}: go only where the rules select the event`,
    ],
  },
  R224: {
    says: '429 says how long to wait, which limit it was and how the month stands.',
    provedBy: [
      `${mcpRoutes}: refuses an account without Pro and one without allowance, as the API does`,
      `${sandbox('server/limits')}: lets request 120 of a minute pass and refuses the next, until the minute is over`,
      `${sandbox('server/limits')}: lets the last request of a month pass and refuses the next, until the month is over`,
    ],
  },
  R225: {
    says: 'A request that fails validation costs one.',
    provedBy: [
      `${sandbox('server/limits')}: charges what it lets in, whatever becomes of it, and nothing else`,
    ],
  },
  R226: {
    says: 'An account has 100,000 requests in a month over all of the API.',
    provedBy: [
      `${mcpRoutes}: costs one request: %s`,
      `${sandbox('server/limits')}: lets the last request of a month pass and refuses the next, until the month is over`,
    ],
  },
  R227: {
    says: 'And 120 in a clock minute.',
    provedBy: [
      `${sandbox('server/limits')}: lets request 120 of a minute pass and refuses the next, until the minute is over`,
    ],
  },
  R228: {
    says: 'Successful reads have six headers of limits, with times as dates.',
    provedBy: [
      `${sandbox('server/limits')}: lets request 120 of a minute pass and refuses the next, until the minute is over`,
    ],
  },
  R229: {
    says: 'Headers and usage object agree.',
    provedBy: [
      `${sandbox('server/limits')}: lets request 120 of a minute pass and refuses the next, until the minute is over`,
    ],
  },
  R230: {
    says: 'The last request of a limit passes and the next does not, in however many processes.',
    provedBy: [
      `${sandbox('server/limits')}: share what is left of a minute to the last request`,
      `${sandbox('server/limits')}: lets request 120 of a minute pass and refuses the next, until the minute is over`,
    ],
  },
  R231: {
    says: '401, 403 and 429 cost nothing; 400, 404 and 405 cost one.',
    provedBy: [
      `${sandbox('server/limits')}: charges what it lets in, whatever becomes of it, and nothing else`,
    ],
  },
  R232: {
    says: 'An account has at most five destinations, of whatever kind.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: are five at most, even when made at once`,
    ],
  },
  R239: {
    says: 'The API is version 1.0.0 below /v1.',
    provedBy: [`${sandbox('documents/documents')}: is a valid OpenAPI 3.1 document, and public`],
  },
  R243: {
    says: 'after alone is announced as deprecated.',
    provedBy: [`${sandbox('events/events')}: still knows after, which is deprecated`],
  },
  R244: {
    says: 'HEAD is answered without a body and costs one; an unknown path is 404 and costs one.',
    provedBy: [
      `${sandbox('server/refusals')}: gets no body for HEAD, and is charged`,
      `${sandbox('server/refusals')}: for its address, after its key was asked for: %.40s`,
    ],
  },
  R245: {
    says: 'Public documents are for every origin; answers to a key are not stored.',
    provedBy: [
      `${mcpRoutes}: says with every answer what is left`,
      `${sandbox('documents/documents')}: is a valid OpenAPI 3.1 document, and public`,
      `${sandbox('server/refusals')}: for its parameters: %.80s`,
    ],
  },
  R39: {
    says: 'An incident has an opaque id of its own, which is the id of no event.',
    provedBy: [
      `${sandbox('events/events')}: tells each step of a timeline in full, and names the thread as no event is named`,
      `${poller}: takes the id of an incident for no id of an event`,
    ],
  },
  R40: {
    says: "The source's own id of an incident is given only where the source shows it.",
    provedBy: [
      `${sandbox('seed/seed')}: names an incident of the source only where the source shows it itself`,
    ],
  },
  R50: {
    says: 'Each step in a timeline has its id, type, phase, place, texts, source and time.',
    provedBy: [
      `${sandbox('events/events')}: tells each step of a timeline in full, and names the thread as no event is named`,
      `${sandbox('documents/api-schemas')}: says which members of %s are required and may be null`,
      `${api}: may carry the timeline of its incident`,
    ],
  },
  R60: {
    says: 'The label of a subject is fit for its owner to see.',
    provedBy: [
      `${sandbox('account-events/account-events')}: have labels that tell the owner and hold nothing of the inside`,
    ],
  },
  R65: {
    says: 'What stands in data of an account event is open and untrusted.',
    provedBy: [`${client}: have data that is kept as it came, and that nothing is made of`],
  },
  R76: {
    says: 'A webhook has a category even where the event has none: other.',
    provedBy: [
      `${sandbox('webhooks/deliveries/webhook-event')}: has every member that the envelope needs, of an event that has the least`,
      `${api}: makes an event of the least that the API may send`,
    ],
  },
  R78: {
    says: 'The client goes by status and code, and never by the text of an error.',
    provedBy: [
      `${client}: is judged by the status, whatever the body says`,
      `${client}: is not tried again: %s`,
      `${mcp}: tell a refusal from a failure: %s`,
      `${prism}: makes of a %i what it is`,
    ],
  },
  R81: {
    says: 'A destination is new, active or paused, and begins as new.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: are new, become active by a test that is answered 2xx, and stay as they are by another`,
      `${sandbox('webhooks/destinations/change-destination')}: gets nothing until a test is accepted, and can be paused only while it is active`,
    ],
  },
  R82: {
    says: 'Only an accepted test makes a new destination active.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: are new, become active by a test that is answered 2xx, and stay as they are by another`,
      `${sandbox('webhooks/destinations/destinations')}: that are %s stay so by a failed test, and are active after another`,
    ],
  },
  R83: {
    says: 'Only an accepted test makes a paused destination active again.',
    provedBy: [
      `${sandbox('webhooks/destinations/change-destination')}: gets nothing until a test is accepted, and can be paused only while it is active`,
      `${sandbox('webhooks/deliveries/deliveries')}: answered with %i end there, pause the destination and cancel what is due at it`,
    ],
  },
  R87: {
    says: 'A test that fails leaves the state as it is, in each of the three.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: that are %s stay so by a failed test, and are active after another`,
    ],
  },
  R88: {
    says: 'A test that is accepted leaves an active destination active.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: that are %s stay so by a failed test, and are active after another`,
    ],
  },
  R89: {
    says: 'A pause status pauses nothing where it answers a test.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: that are %s stay so by a failed test, and are active after another`,
    ],
  },
  R90: {
    says: 'A delivery whose attempts are all used leaves its destination active.',
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: are retried eight times over 63.5 minutes, which pass in seconds, with the same bytes`,
    ],
  },
  R91: {
    says: 'What a new destination would get is recorded as skipped.',
    provedBy: [
      `${sandbox('webhooks/destinations/destinations')}: are new, become active by a test that is answered 2xx, and stay as they are by another`,
    ],
  },
  R92: {
    says: 'While a destination is paused, new events are skipped and due retries dropped, or held if told so.',
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: answered with %i end there, pause the destination and cancel what is due at it`,
      `${sandbox('webhooks/deliveries/delivery-faults')}: hold_paused keeps what is due at a paused destination until it is back`,
      `${sandbox('webhooks/deliveries/housekeeping')}: sends what is still held at a destination that is active again`,
    ],
  },
  R93: {
    says: 'An answer to an attempt from before the last change of state pauses nothing.',
    provedBy: [
      `${sandbox('webhooks/deliveries/deliveries')}: answered late do not pause what was made active again in between`,
    ],
  },
  R98: {
    says: 'The client sends a cursor back as it came, and makes none.',
    provedBy: [
      `${client}: are asked for with the cursor as it came, whatever it is`,
      `${client}: keep the cursor that was sent where a last page has none`,
    ],
  },
  R237: {
    says: 'A rotation takes 24 hours, a poll comes each minute, a signature holds 300 seconds, a timeline has 100 steps and a benchmark 50 properties.',
    provedBy: [
      `${sandbox('webhooks/secrets/signing-secrets')}: changes over at 24 hours to the millisecond, in the midst of retries too`,
      `${poller}: polls less often where the month would not last`,
      `${contract.signatures}: answers a delivery signed %i s from now with %i`,
      `${sandbox('events/events')}: keeps a timeline to its newest 100 steps`,
      `${sandbox('events/events')}: has members that are absent, members that are null, and no others than named`,
    ],
  },
}
