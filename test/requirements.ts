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
const inboxSuite = 'test/contract/delivery-inbox.ts'
const inbox = 'packages/inbox/src/inbox.test.ts'
const sender = (file: string) => `packages/sender/src/${file}.test.ts`

/** The rows in scope, by number. */
export const requirements: Record<string, Requirement> = {
  R14: {
    says: 'The id of an event is stable, and consumers dedupe by it.',
    provedBy: [`${inboxSuite}: stores an event once, and its exact bytes`],
  },
  R15: {
    says: 'A type that nobody knows is accepted and kept as it came.',
    provedBy: [
      `${contract.bodies}: $outcome: $says`,
      `${inbox}: hands each event to its handler, whose writes happen once`,
    ],
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
      `${contract.signatures}: refuses the signature of another secret, and says nothing of either`,
      'packages/core/src/secret.test.ts: never says what a refused secret is',
      `${sender('create-sender')}: is in no record and no error, even where the receiver echoes all it gets`,
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
    provedBy: [`${contract.bodies}: $outcome: $says`],
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
}
