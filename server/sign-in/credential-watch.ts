import type { Database, Tx } from "#storage/database/database.ts";
import { policyTopic } from "#server/people/accounts/policy.ts";
import { isOwnUser, type Visitor } from "../lib/route.ts";

/**
 * Notifies open streams that a session, key or user has ended. Streams outlive their first check by hours, so the
 * transaction that ends a credential publishes it, and every process of the database checks its streams again.
 */
export function publishCredentialChange(tx: Tx, id: string): void {
  tx.publishOnCommit.add(credentialTopic(id));
}

/** Like `publishCredentialChange`, for all credentials of a user. */
export function publishUserChange(tx: Tx, id: string): void {
  tx.publishOnCommit.add(userTopic(id));
}

/** Calls `onInvalid` once when the visitor's credential is no longer valid. The returned function stops watching. */
export type WatchCredential = (visitor: Visitor, onInvalid: () => void) => () => void;

/**
 * Checks a credential at once, after each notification, and every `recheckMs` for those that expire. While the database
 * is unavailable, credentials count as valid.
 */
export function createCredentialWatch(options: {
  db: Database;
  isValid: (visitor: Visitor) => Promise<boolean>;
  recheckMs: number;
}): WatchCredential {
  const { db, isValid, recheckMs } = options;
  return (visitor, onInvalid) => {
    let isStopped = false;
    const check = async (): Promise<void> => {
      const valid = await isValid(visitor).catch(() => true);
      if (valid || isStopped) return;
      stop();
      onInvalid();
    };
    const topics = [credentialTopic(visitor.credentialId), userTopic(visitor.userId)];
    // Guests can be switched off, and the owner can require a second factor.
    if (isOwnUser(visitor)) topics.push(policyTopic);
    const subscriptions = topics.map((topic) => db.pubSub.subscribe(topic, () => void check()));
    const timer = setInterval(() => void check(), recheckMs).unref();
    function stop(): void {
      isStopped = true;
      clearInterval(timer);
      for (const unsubscribe of subscriptions) unsubscribe();
    }
    // The credential can have ended between the request's own check and the subscription.
    void check();
    return stop;
  };
}

function credentialTopic(id: string): string {
  return `credential:${id}`;
}

/** The topic of `publishUserChange`. */
export function userTopic(id: string): string {
  return `user:${id}`;
}
