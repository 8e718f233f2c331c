import { setImmediate } from "node:timers/promises";
import { emailKey } from "#contract/accounts/email.ts";
import type { LanguageTag } from "#contract/i18n/languages.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { createRateLimiter } from "#server/lib/rate-limit.ts";
import type { RequestSource } from "../accounts/account-session.ts";
import { createResetToken } from "../accounts/reset-links.ts";
import { findAccount, lockUsers } from "../accounts/rows.ts";
import type { Mail } from "./mail.ts";

/** How long messages in progress have when the server stops. */
const closeMs = 3_000;

/** Links to set a new password, which people request for themselves. */
export type ResetRequests = ReturnType<typeof createResetRequests>;

export function createResetRequests(options: {
  db: Database;
  clock: SteadyClock;
  logger: Logger;
  mail: Mail;
}) {
  const { db, clock, logger, mail } = options;
  const perAccount = createRateLimiter({
    clock,
    points: limits.resetMails,
    seconds: limits.resetMailsSeconds,
  });
  const inProgress = new Set<Promise<void>>();

  type Request = { email: string; language: LanguageTag; address: string; webUrl: string };

  async function answer({ email, language, address, webUrl }: Request): Promise<void> {
    // SQLite answers at once: the caller gets its answer first.
    await setImmediate();
    const account = await findAccount(db.read, { emailKey: emailKey(email) });
    if (account === undefined || account.joined_at === null || account.disabled_at !== null) return;
    perAccount.spend(account.id);
    const token = await db.write(async (tx) => {
      await lockUsers(tx, [account.id]);
      const actor = { id: account.id, address };
      return await createResetToken(tx, account.id, actor, clock.now(), "mailed");
    });
    const server = new URL(webUrl).host;
    // To the address of the account: the one in the request may be written differently.
    await mail.deliver(account.email!, { kind: "reset", language, server, link: `${webUrl}/reset#${token}` });
  }

  return {
    /**
     * Sends a link, if somebody has this address. Returns before it looks, so that neither the answer nor its time says
     * whether anybody has. Throws `mail-not-set`.
     */
    async start(
      { email, language }: { email: string; language: LanguageTag },
      { address }: Pick<RequestSource, "address">,
      webUrl: string,
    ): Promise<void> {
      if (!(await mail.isSet())) throw new AppError("mail-not-set");
      const work: Promise<void> = answer({ email, language, address, webUrl })
        .catch((error: unknown) => {
          const isExpected = error instanceof AppError && error.code === "rate-limited";
          if (!isExpected) logger.warn({ err: error }, "a link to set a new password was not sent");
        })
        .finally(() => inProgress.delete(work));
      inProgress.add(work);
    },

    /** Resolves when all messages in progress have been sent, or have failed, or after some seconds. */
    async close(): Promise<void> {
      await Promise.race([Promise.all(inProgress), clock.sleep(closeMs)]);
    },
  };
}
