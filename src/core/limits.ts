// A limit on everything a client can send or that piles up, with its reason beside it.

const SECOND = 1_000
const HOUR = 3_600 * SECOND

export const ID_CHARS_MAX = 255 // seed limit of the contracts; also keeps an id indexable in every database
export const IDEMPOTENCY_KEY_CHARS_MAX = 255 // what Stripe takes; a UUID or a name of one's own fits
export const NAMESPACE_CHARS_MAX = 100 // appears in metrics labels, subjects and key files
export const URL_CHARS_MAX = 2_048 // what common servers and proxies accept
export const HEADERS_MAX = 32 // more is not a webhook any more
export const HEADER_VALUE_CHARS_MAX = 4_096 // room for a bearer token
export const METADATA_KEYS_MAX = 50
export const METADATA_BYTES_MAX = 16 * 1_024 // read and compared by list filters, so kept small
export const PAYLOAD_BYTES_DEFAULT_MAX = 256 * 1_024
export const JSON_DEPTH_MAX = 64 // deeper than any honest payload, far below where a recursive serializer overflows
export const BODY_VALUES_MAX = 200_000 // a batch of 1,000 timers with 200 each; parsing so many takes about 0.1 s at worst

export const API_KEY_CHARS_MIN = 32 // what the platform contract asks for; 32 random characters cannot be guessed
export const API_KEY_CHARS_MAX = 512 // longer ones are not even hashed
export const KEYS_MAX = 10_000 // a keys file of about 2 MB, read in some 20 ms
export const NAMESPACES_PER_KEY_MAX = 100 // compared one by one, and handed to the store with every list
export const SUBJECTS_PER_KEY_MAX = 100 // one expression, compared with every NATS callback that the key sets
export const RATE_PER_SECOND_MIN = 0.001 // some four an hour
export const RATE_PER_SECOND_MAX = 1_000_000

export const SHARDS_MAX = 4_096 // of all groups together: every beat reads a row of each
export const LABEL_CHARS_MAX = 63 // as in Kubernetes

export const BATCH_TIMERS_MAX = 1_000 // one transaction of about 20 ms on SQLite
export const PAGE_TIMERS_MAX = 1_000
export const PAGE_TIMERS_DEFAULT = 100
/** Of what is stored of its timers. A page goes from thread to thread at once: 1 MiB takes a millisecond, 4 MiB take several. */
export const PAGE_BYTES_MAX = 1_024 * 1_024
export const PREVIEW_FIRINGS_MAX = 100
export const PREVIEW_FIRINGS_DEFAULT = 5
export const CYCLE_REPETITIONS_MAX = 1_000
export const CATCH_UP_MAX = 100 // the last so many of any number of missed ones are found in some milliseconds
export const SPREAD_MAX_MS = 24 * HOUR // firings that are spread wider than a day belong to another day

export const CALENDAR_ENTRIES_MAX = 1_000 // the holidays of a country for some sixty years
export const CALENDAR_TIMED_RANGES_MAX = 100 // looked at one by one, for every day of a search
export const CALENDAR_NAME_CHARS_MAX = 100
export const CALENDARS_MAX = 100 // of a namespace: all of them are one row
export const CALENDARS_BYTES_MAX = 256 * 1_024 // of that row's text; DynamoDB takes 400 KB at once

export const DELAY_MIN_MS = 1 * SECOND
export const DELAY_MAX_YEARS = 100 // the timing wheel's horizon

export const RESCHEDULE_MIN_DEFAULT_MS = 1 * SECOND // as for cycles: neither a receiver that reschedules itself nor a retry needs a request

export const RETRIES_MAX = 100
export const RETRIES_UNLIMITED = 9_999_999 // what answers show for timers that only their duration ends; no client may ask for it
export const RETRY_MULTIPLIER_MAX = 10
export const RETRY_INTERVAL_MAX_MS = 30 * 24 * HOUR
export const RETRY_DURATION_MAX_MS = 365 * 24 * HOUR
export const TIMEOUT_MIN_MS = 1 * SECOND
export const TIMEOUT_MAX_MS = 1 * HOUR // a delivery occupies a slot of its target for so long
export const TIMEOUT_DEFAULT_MS = 30 * SECOND

export const ATTEMPTS_KEPT = 10 // the last ones explain a failure; each is about 80 bytes of the row
export const ERROR_CHARS_KEPT = 500 // lastError and the attempts log are for people
