// A client behind a load balancer: each request goes to some node that is in service. An answer of 503 says whether
// something may have been stored, and is taken at its word.

import { Client } from '../client.ts'
import type { Answer, TimerJson, TimerName, TimerRequest } from '../client.ts'

export class ClusterClient extends Client {
  override create(timer: TimerRequest): Promise<Answer<TimerJson>> {
    return read503(super.create(timer))
  }

  override update(name: TimerName, changes: TimerRequest): Promise<Answer<TimerJson>> {
    return read503(super.update(name, changes))
  }

  override cancel(name: TimerName): Promise<Answer<null>> {
    return read503(super.cancel(name))
  }

  override pause(name: TimerName): Promise<Answer<TimerJson>> {
    return read503(super.pause(name))
  }

  override resume(name: TimerName): Promise<Answer<TimerJson>> {
    return read503(super.resume(name))
  }
}

async function read503<T>(asked: Promise<Answer<T>>): Promise<Answer<T>> {
  const answer = await asked
  if (answer.type !== 'refused' || answer.status !== 503) return answer
  return { type: answer.body.message.includes('nothing was stored') ? 'notSent' : 'inDoubt', error: answer.body }
}
