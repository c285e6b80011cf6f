// The native way of delivering, with the answers kept for whoever asks: for callback tests, which show them to people.

import type { Firing } from '../../core/timer/delivery.ts'
import { TEST_PROTOCOL } from '../../service/callback-test.ts'
import type { TestAnswer } from '../../service/callback-test.ts'
import type { HttpProtocol, HttpResponse } from '../../targets/http/protocol.ts'

export class KeptAnswers {
  /** By the firing; an entry lives as long as the test. */
  readonly #answers = new WeakMap<Firing, HttpResponse>()
  readonly protocol: HttpProtocol

  constructor(like: HttpProtocol) {
    this.protocol = {
      name: TEST_PROTOCOL,
      request: (firing) => like.request(firing),
      judge: (response, firing, now) => {
        this.#answers.set(firing, response)
        return like.judge(response, firing, now)
      },
    }
  }

  to(firing: Firing): TestAnswer | null {
    const response = this.#answers.get(firing)
    return response === undefined ? null : { body: response.body, truncated: response.truncated !== null }
  }
}
