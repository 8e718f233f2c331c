import type { Database, Tx } from "#storage/database/database.ts";
import type { Visitor } from "../lib/route.ts";

/**
 * Whether what somebody came with still stands. Streams outlive their first check by hours, so whoever ends a session, a
 * key or a user rings here, in the transaction that does it: every process of the database hears it and looks again.
 */
export function ringCredential(tx: Tx, id: string): void {
  tx.publishOnCommit.add(credentialTopic(id));
}

/** The same for all that a user came with: for one who is closed out, or gone. */
export function ringUser(tx: Tx, id: string): void {
  tx.publishOnCommit.add(userTopic(id));
}

/** Calls `fallen` once when the visitor's credential no longer stands, until the answered function is called. */
export type Watch = (visitor: Visitor, fallen: () => void) => () => void;

/**
 * Looks at once, at every ring, and every `recheckMs` for what ends without anyone's doing. While the database is away
 * nobody is taken for revoked.
 */
export function createWatch(options: {
  db: Database;
  stands: (visitor: Visitor) => Promise<boolean>;
  recheckMs: number;
}): Watch {
  const { db, stands, recheckMs } = options;
  return (visitor, fallen) => {
    let isOver = false;
    const look = async (): Promise<void> => {
      const standing = await stands(visitor).catch(() => true);
      if (standing || isOver) return;
      stop();
      fallen();
    };
    const unlisten = [credentialTopic(visitor.credentialId), userTopic(visitor.userId)].map((topic) =>
      db.pubSub.subscribe(topic, () => void look()),
    );
    const timer = setInterval(() => void look(), recheckMs).unref();
    function stop(): void {
      isOver = true;
      clearInterval(timer);
      for (const end of unlisten) end();
    }
    // It may have been ended between the request's own check and the first listening.
    void look();
    return stop;
  };
}

function credentialTopic(id: string): string {
  return `credential:${id}`;
}

function userTopic(id: string): string {
  return `user:${id}`;
}
