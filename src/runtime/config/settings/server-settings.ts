// How the service is reached, and by whom.

import { filePath } from '../broker.ts'
import { webOrigin } from '../origin.ts'
import { apiKey, hostName } from '../places.ts'
import { autoOr, boolean, bytes, duration, integer, list } from '../values.ts'
import { group, optional, setting } from './setting.ts'

export const SERVER_SETTINGS = {
  ...group('Listening', {
    port: setting('PORT', integer({ min: 0, max: 65_535 }), '8080', { help: 'Port for HTTP; 0 takes any free one.' }),
    host: optional('HOST', hostName(), {
      help: 'Address to listen on. Unless it is given: `127.0.0.1` while no API key is configured, else `0.0.0.0`.',
    }),
    bodyMaxBytes: optional('BODY_MAX_BYTES', bytes({ min: '1KiB', max: '256MiB' }), {
      help: 'Largest request body, other than of a batch. Unless it is given: twice PAYLOAD_MAX_BYTES, which is `512KiB` by default.',
    }),
    batchBodyMaxBytes: setting('BATCH_BODY_MAX_BYTES', bytes({ min: '1KiB', max: '256MiB' }), '8MiB', {
      help: 'Largest request body of a batch: 1,000 timers of 8 KiB each fit.',
    }),
    requestTimeoutMs: setting('REQUEST_TIMEOUT', duration({ min: '1s', max: '10m' }), '30s', {
      help: 'How long a client may take to send a request.',
    }),
    listBytesMax: setting('LIST_BYTES_MAX', bytes({ min: '1MiB', max: '64GiB' }), '128MiB', {
      help: 'Memory for lists that are read and not yet taken by clients: 1 MiB each. More are answered with 503 and `Retry-After`.',
    }),
    listBytesPerKeyMax: setting('LIST_BYTES_PER_KEY_MAX', bytes({ min: '1MiB', max: '64GiB' }), '32MiB', {
      help: 'What one API key may use of that.',
    }),
    connectionsMax: setting('CONNECTIONS_MAX', integer({ min: 1, max: 1_000_000 }), '4096', {
      help: 'Connections open at once; more are closed as they come. An idle one takes some 10 KiB.',
    }),
    httpThreads: setting('HTTP_THREADS', autoOr(integer({ min: 0, max: 64 })), 'auto', {
      help: 'Threads that read and check requests beside the one that decides; they share the port. 0: that one does it. `auto`: 0 up to two cores, then by the number of cores.',
    }),
    shutdownGraceMs: setting('SHUTDOWN_GRACE', duration({ min: '0s', max: '10m' }), '10s', {
      help: 'How long a stop waits for requests and deliveries under way. What is cut off then is delivered again after the next start.',
    }),
  }),

  ...group('Access', {
    apiKey: optional('API_KEY', apiKey(), {
      help: 'A key that may do everything, named `default`. Set the variable: a command line can be read by others.',
      secret: true,
    }),
    keysFile: optional('KEYS_FILE', filePath(), {
      help: 'File with the hashes of further keys, their permissions and namespaces, made by `duetime keys create`. Changes count at once.',
    }),
    corsOrigins: setting('CORS_ORIGINS', list(webOrigin()), '', {
      help:
        'Web pages that may call the API from a browser, by their origins, such as `https://app.example.com`. `*` is any page; it needs API keys. ' +
        'None unless it is given.',
    }),
    allowAnonymous: setting('ALLOW_ANONYMOUS', boolean(), 'false', {
      help: 'Serve other machines although no API key is configured: whoever reaches the port can then create and cancel timers.',
    }),
  }),
}
