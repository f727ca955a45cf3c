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
const poller = 'packages/client/src/create-poller.test.ts'
const pages = 'packages/inbox/src/accept-page.test.ts'
const inboxSuite = 'test/contract/delivery-inbox.ts'
const inbox = 'packages/inbox/src/inbox.test.ts'
const sender = (file: string) => `packages/sender/src/${file}.test.ts`

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
    ],
  },
  R30: {
    says: 'A retracted event is marked as one and keeps its link.',
    provedBy: [
      `${pages}: are handled again: %s`,
      `${pages}: and were retracted before anybody saw them are a retraction`,
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
    ],
  },
  R58: {
    says: 'A type of account event that nobody knows is kept all the same.',
    provedBy: [`${api}: keeps types and states that nobody knows`],
  },
  R66: {
    says: 'A webhook body is in snake case and says schema_version 1.0.',
    provedBy: [`${sender('fixtures')}: covers the values and the nulls of the interface`],
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
      'packages/core/src/notes.test.ts: notes a benchmark over its bounds',
    ],
  },
  R72: {
    says: 'The envelope is the same for every type.',
    provedBy: [`${contract.answers}: 202 for every documented type, the test delivery included`],
  },
  R74: {
    says: 'The subject of a benchmark event is of type benchmark.',
    provedBy: [
      `${sender('fixtures')}: benchmarks carry their evidence, and a new model has no previous`,
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
      `${sender('classify')}: exactly seven statuses pause`,
      `${sender('deliver')}: a pause status ends the delivery`,
    ],
  },
  R85: {
    says: 'After such an answer the same event is not sent again.',
    provedBy: [`${sender('deliver')}: a pause status ends the delivery`],
  },
  R86: {
    says: 'A test delivery is sent at once and never again.',
    provedBy: [`${sender('deliver')}: a destination_test that gets %d is not sent again`],
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
    provedBy: [`${pages}: or nothing of them is: neither events nor cursor`],
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
    provedBy: [`${poller}: re-reads and doubles nothing, whichever step it was killed at`],
  },
  R120: {
    says: 'More without a cursor that leads there is a fault: stop, and say so.',
    provedBy: [
      `${client}: end with an error where more is promised under a cursor that is %s`,
      `${poller}: does not go round in a circle`,
    ],
  },
  R121: {
    says: 'A last page without a cursor leaves the stored one as it is.',
    provedBy: [
      `${client}: keep the cursor that was sent where a last page has none`,
      `${pages}: without ever losing the cursor`,
      `${poller}: reads on from its cursor, whether a page has one or not`,
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
    provedBy: [`${client}: halt under another contract, and keep what was sent`],
  },
  R151: {
    says: 'unknown means that no confirmed fact matches.',
    provedBy: [`${mcp}: are the four, typed, and cost one request each after one to connect`],
  },
  R152: {
    says: 'ambiguous names the providers to choose from.',
    provedBy: [`${mcp}: are the four, typed, and cost one request each after one to connect`],
  },
  R158: {
    says: 'Connecting costs few requests, and what was learned of the server is kept.',
    provedBy: [
      `${mcp}: are the four, typed, and cost one request each after one to connect`,
      `${mcp}: work with a server of an older revision, without opening its stream`,
    ],
  },
  R159: {
    says: 'Events are delivered with POST, at least once.',
    provedBy: [
      `${sender('deliver')}: delivers with the documented headers and the JSON of the event`,
      `${contract.answers}: 405 for %s`,
    ],
  },
  R160: {
    says: 'The content type is application/json; the receiver does not depend on it.',
    provedBy: [
      `${sender('deliver')}: delivers with the documented headers and the JSON of the event`,
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
      'packages/core/src/signature.test.ts: makes what the stripe library verifies as it is',
    ],
  },
  R163: {
    says: 'Every attempt is signed anew, at its own time.',
    provedBy: [
      `${sender('deliver')}: eight attempts, due at the documented offsets, freshly signed over the same bytes`,
    ],
  },
  R164: {
    says: 'Every attempt carries the same bytes.',
    provedBy: [
      `${sender('deliver')}: eight attempts, due at the documented offsets, freshly signed over the same bytes`,
      `${sender('create-sender')}: are sent exactly, the same in every attempt, whatever becomes of the array`,
    ],
  },
  R165: {
    says: 'Feed-Event-Id is the id in the body.',
    provedBy: [
      `${sender('deliver')}: delivers with the documented headers and the JSON of the event`,
    ],
  },
  R166: {
    says: 'Idempotency-Key is feed-event-<id>, the same in every attempt.',
    provedBy: [
      `${sender('deliver')}: delivers with the documented headers and the JSON of the event`,
    ],
  },
  R167: {
    says: 'The sender says who it is in User-Agent.',
    provedBy: [
      `${sender('deliver')}: delivers with the documented headers and the JSON of the event`,
    ],
  },
  R168: {
    says: 'A 2xx comes within 10 seconds, and only after the event is durable.',
    provedBy: [
      `${contract.answers}: 202 for a new event, once it is stored`,
      `${contract.faults}: 503 when the inbox takes too long, and 200 if it made it all the same`,
      'test/e2e/kill.test.ts: killed between commit and answer loses nothing and doubles nothing',
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
  R195: {
    says: 'No secret stands in an answer, an observation, a record or an error.',
    provedBy: [
      `${client}: stands in no error, whatever fails`,
      `${contract.signatures}: refuses the signature of another secret, and says nothing of either`,
      'packages/core/src/secret.test.ts: never says what a refused secret is',
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
  R198: {
    says: 'The key of the HMAC is the whole secret, prefix included.',
    provedBy: [
      'packages/core/src/signature.test.ts: makes what the stripe library verifies as it is',
      `${contract.signatures}: accepts what openssl has signed`,
    ],
  },
  R199: {
    says: 'The exact bytes are verified, never JSON written anew.',
    provedBy: [
      `${contract.signatures}: refuses a body with %s`,
      'packages/core/src/signature.test.ts: hashes bytes and not text: a change within invalid UTF-8 is a change',
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
      'packages/core/src/signature.test.ts: finds the secret that signed, among several',
      'packages/core/src/signature.test.ts: compares with timingSafeEqual and nothing else',
    ],
  },
  R202: {
    says: 'A delivery carries exactly one v1.',
    provedBy: [
      'packages/core/src/signature.test.ts: makes what the stripe library verifies as it is',
      `${sender('deliver')}: delivers with the documented headers and the JSON of the event`,
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
      'packages/inbox/src/secret-uses.test.ts: let the old one go once the new one has signed, and not before',
    ],
  },
  R209: {
    says: 'There is an event of every documented type.',
    provedBy: [
      `${sender('fixtures')}: has one event of each documented type, and one of an unknown type`,
      `${contract.answers}: 202 for every documented type, the test delivery included`,
    ],
  },
  R210: {
    says: 'Unknown types are accepted and kept.',
    provedBy: [
      `${client}: come as the filter says, and as they came, unknown values included`,
      `${contract.bodies}: $outcome: $says`,
    ],
  },
  R211: {
    says: 'The source of an outage is the first-party incident.',
    provedBy: [`${sender('fixtures')}: the outage is one incident on the first-party status page`],
  },
  R212: {
    says: 'A destination_test has the same signed envelope and is never sent again.',
    provedBy: [`${sender('deliver')}: a destination_test that gets %d is not sent again`],
  },
  R214: {
    says: 'A test delivery is acknowledged and reaches no handler.',
    provedBy: [`${inbox}: never hands a test delivery to a handler`],
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
    ],
  },
  R223: {
    says: '5xx and network faults are tried again with capped backoff and jitter.',
    provedBy: [
      `${client}: is tried again: %s`,
      `${client}: never waits longer than a minute, and by chance down to half of it`,
      `${poller}: outlives a service that is away`,
    ],
  },
  R233: {
    says: 'An attempt has 10 seconds, from the look-up of the name to the status.',
    provedBy: [
      `${sender('faults')}: ends an attempt that gets no answer`,
      `${sender('faults')}: ends an answer whose head drips, and closes the connection`,
    ],
  },
  R234: {
    says: 'There are at most eight attempts, the first included.',
    provedBy: [
      `${sender('deliver')}: eight attempts, due at the documented offsets, freshly signed over the same bytes`,
    ],
  },
  R235: {
    says: 'Retries back off from 30 seconds, doubling, up to an hour.',
    provedBy: [
      `${sender('retry-delay')}: eight attempts are due within 63.5 minutes`,
      `${sender('retry-delay')}: adds up to 10 %, before the cap`,
    ],
  },
  R236: {
    says: 'Retry-After counts on 429 alone, up to an hour, as seconds or as a date.',
    provedBy: [
      `${sender('retry-delay')}: counts on no other status`,
      `${sender('deliver')}: a Retry-After that is a date counts from the clock`,
    ],
  },
  R238: {
    says: 'A receiver that is overloaded answers 429 with Retry-After.',
    provedBy: [
      `${contract.answers}: 429 with Retry-After for what is over the limit on deliveries under way`,
    ],
  },
  R240: {
    says: 'The parser is chosen by schema_version.',
    provedBy: ['packages/core/src/parse-event.test.ts: $outcome: $says'],
  },
  R241: {
    says: 'The contracts of account events are the two that are documented.',
    provedBy: [`${api}: of account events says the one contract that is known`],
  },
  R242: {
    says: 'A cursor takes the place of after.',
    provedBy: [`${client}: are asked for by time only when told to, and with a warning`],
  },
}
