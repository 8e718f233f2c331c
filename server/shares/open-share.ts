import { createHmac } from "node:crypto";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import { StorageUnavailableError } from "#storage/lib/errors.ts";
import type { Rights } from "../people/rights/rights.ts";
import type { PasswordHasher } from "../people/accounts/password-hash.ts";
import type { Attempts } from "../sign-in/attempts/attempts.ts";
import { hashOf, isSameSecret } from "../sign-in/secrets.ts";
import type { SteadyClock } from "../lib/clock.ts";
import { createRateLimiter } from "../lib/rate-limit.ts";
import { isOwnUser, type Visitor } from "../lib/route.ts";
import * as rows from "./rows.ts";
import type { ShareTokens } from "./share-tokens.ts";

/** The reader of a link: the visitor if they are signed in, and the cookie that they got for its password. */
export type Reader = { visitor: Visitor | undefined; pass: string | undefined };

/** `locked`: it needs a password; `members`: it is for people with an account. */
export type Opened = { share: rows.OpenShare; state: "open" | "locked" | "members" };

export type OpenShares = ReturnType<typeof createOpenShares>;

/** Opens links for their readers. `secret` must be used for nothing else. */
export function createOpenShares(options: {
  db: Database;
  clock: SteadyClock;
  secret: string;
  tokens: ShareTokens;
  hasher: PasswordHasher;
  attempts: Attempts;
  rights: Pick<Rights, "isLinkSharingOn" | "ofPerson">;
}) {
  const { db, clock, secret, tokens, hasher, attempts, rights } = options;
  const perAddress = createRateLimiter({ clock, points: limits.passwordsPerMinute, seconds: 60 });

  /** The link, if links work at all and its person may still share. */
  async function find(token: string): Promise<rows.OpenShare | undefined> {
    if (!(await rights.isLinkSharingOn())) return undefined;
    const share = await rows.findOpen(db.read, hashOf(token), clock.now());
    if (share === undefined) return undefined;
    const { user_id: userId, workspace_id: workspaceId } = share;
    return (await rights.ofPerson({ userId, workspaceId })).has("threads.share") ? share : undefined;
  }

  /** What a reader gets for the password. It is worthless once the password is changed. */
  const passOf = ({ id, password_hash: hash }: rows.OpenShare): string =>
    createHmac("sha256", secret)
      .update(JSON.stringify([id, hash]))
      .digest("base64url");

  function stateFor(share: rows.OpenShare, { visitor, pass }: Reader): Opened["state"] {
    const isMember = visitor !== undefined && isOwnUser(visitor) && visitor.role !== "guest";
    if (share.audience === "members" && !isMember) return "members";
    if (share.password_hash === null) return "open";
    return pass !== undefined && isSameSecret(pass, passOf(share)) ? "open" : "locked";
  }

  return {
    /** `undefined` for every token that does not work, whatever the reason. */
    async open(token: string, reader: Reader): Promise<Opened | undefined> {
      const share = await find(token);
      if (share === undefined || !tokens.isTokenOf(share.id, token)) return undefined;
      return { share, state: stateFor(share, reader) };
    },

    /** A link that was open before, if it still works. */
    async findAgain(id: string): Promise<rows.OpenShare | undefined> {
      return await find(tokens.tokenOf(id));
    },

    /** The pass for the password; `undefined` if it is wrong. Throws `rate-limited`, `too-many-attempts` and `server-busy`. */
    async unlock(share: rows.OpenShare, password: string, address: string): Promise<string | undefined> {
      perAddress.spend(address);
      const isRight = await attempts.try(
        { kind: "share-password", subject: share.id, address },
        async () => await hasher.verify(password, share.password_hash ?? undefined),
      );
      return isRight ? passOf(share) : undefined;
    },

    async countView({ id }: rows.OpenShare): Promise<void> {
      await db
        .write(async (tx) => await rows.countView(tx, id))
        .catch((error: unknown) => {
          // The page can be read while nothing can be stored.
          if (!(error instanceof StorageUnavailableError)) throw error;
        });
    },
  };
}
