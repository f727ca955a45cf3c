export default {
  // These packages read files beside their own code, so they must not be bundled.
  serverExternalPackages: [
    '@feed-receiver/console',
    '@feed-receiver/database',
    '@feed-receiver/inbox',
  ],
}
