// The types are checked with those of the repository.
module.exports = { typescript: { ignoreBuildErrors: true } }
