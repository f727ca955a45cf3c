import type { KnownType } from '@feed-receiver/core'

interface DescribedType {
  /** When an event of the type comes. */
  when: string
  /** What receivers usually do then. */
  act: string
}

/** The families of event types in the interface of the service. */
export const families: Readonly<Record<string, readonly KnownType[]>> = {
  Models: ['model_release', 'api_model_listed', 'model_removed'],
  Outages: ['outage_started', 'outage_updated', 'outage_resolved'],
  Pricing: ['pricing_update', 'pricing_changed'],
  Benchmarks: ['benchmark_model_added', 'benchmark_rank_changed', 'benchmark_version_changed'],
  'API and docs': ['api_contract_update', 'api_endpoint_documented', 'documentation_update'],
  Products: ['app_feature_update', 'desktop_app_update', 'cli_update', 'release_note'],
  Research: ['research_published', 'official_post_published'],
  'Test delivery': ['destination_test'],
}

/** The service documents only the names of its types. These texts follow from them and the fixtures. */
export const eventTypes: Readonly<Record<KnownType, DescribedType>> = {
  model_release: {
    when: 'A provider releases a model.',
    act: 'Add it to the list of models that you may use, or plan an evaluation.',
  },
  api_model_listed: {
    when: 'A model appears in the model list of an API, often before its announcement.',
    act: 'Note it as an early signal, and wait for `model_release` before you rely on it.',
  },
  model_removed: {
    when: 'A provider no longer serves a model.',
    act: 'Look for the model in your configuration, and switch to another one.',
  },
  outage_started: {
    when: 'A provider reports a new incident.',
    act: 'Notify the people on call, or switch to another provider. Use `effects.once`, so that a retry does not notify them again.',
  },
  outage_updated: {
    when: 'The provider reports progress of that incident.',
    act: 'Add the news to your own incident. `data.subject.key` is the same in each step.',
  },
  outage_resolved: {
    when: 'The provider reports that the incident is over.',
    act: 'Close your own incident, and switch back.',
  },
  pricing_update: {
    when: 'A pricing page changes, for example by a new section or another condition.',
    act: 'Let a person read the page.',
  },
  pricing_changed: {
    when: 'The price of something changes.',
    act: 'Calculate your costs again, and notify the owners of the budget.',
  },
  benchmark_model_added: {
    when: 'A benchmark publishes its first result for a model.',
    act: 'Store `data.benchmark.current` in your comparison. `previous` is null.',
  },
  benchmark_rank_changed: {
    when: 'A model rises or falls in a benchmark.',
    act: 'Compare `data.benchmark.current` with `previous`.',
  },
  benchmark_version_changed: {
    when: 'A benchmark publishes a new revision.',
    act: 'Do not compare results of two revisions without checking that you may.',
  },
  api_contract_update: {
    when: 'The machine-readable description of an API changes.',
    act: 'Open a ticket for the team that calls the API.',
  },
  api_endpoint_documented: {
    when: 'The documentation of an API describes a new endpoint.',
    act: 'Tell the team that calls the API.',
  },
  documentation_update: {
    when: 'Other documentation of a provider changes.',
    act: 'Post it in the channel of the teams that use the provider.',
  },
  app_feature_update: {
    when: 'An app of a provider gets a new feature.',
    act: 'Post it in the channel of the teams that use the app.',
  },
  desktop_app_update: {
    when: 'A provider releases a version of a desktop app.',
    act: 'Plan the update of your machines.',
  },
  cli_update: {
    when: 'A provider releases a version of a command line tool.',
    act: 'Update the version that your scripts and CI use.',
  },
  release_note: {
    when: 'A provider publishes release notes that are of no other type.',
    act: 'Collect them in a digest.',
  },
  research_published: {
    when: 'A provider publishes research, such as a paper.',
    act: 'Add it to a reading list.',
  },
  official_post_published: {
    when: 'A provider publishes a post, such as one in its blog.',
    act: 'Collect them in a digest.',
  },
  destination_test: {
    when: 'You send a test delivery from the service, or `feed-receiver dev` looks for your app. The service never retries it.',
    act: 'Nothing: the inbox stores it, and it reaches no handler.',
  },
}
