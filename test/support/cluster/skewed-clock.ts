// Loaded into a node before anything else (node --import): its wall clock is so many milliseconds ahead of the machine's.
// The clock that cannot be set goes on as it is, as on a machine whose time is wrong.

const skewMs = Number(process.env['TEST_CLOCK_SKEW_MS'] ?? 0)
const now = Date.now.bind(Date)
Date.now = () => now() + skewMs
