import { setImmediate } from "node:timers/promises";
import { emailKey } from "#contract/accounts/email.ts";
import { randomCharacters } from "#contract/ids.ts";
import type { LanguageTag } from "#contract/i18n/languages.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Jobs } from "#server/jobs/jobs.ts";
import type { Payloads } from "#server/jobs/kinds.ts";
import { createRateLimiter } from "#server/lib/rate-limit.ts";
import type { RequestSource } from "../accounts/account-session.ts";
import { createResetToken } from "../accounts/reset-links.ts";
import { findAccount, lockUsers } from "../accounts/rows.ts";
import type { Mail } from "./mail.ts";

/** Links to set a new password, which people request for themselves. */
export type ResetRequests = ReturnType<typeof createResetRequests>;

export function createResetRequests(options: {
  db: Database;
  clock: SteadyClock;
  jobs: Pick<Jobs, "add">;
  mail: Mail;
}) {
  const { db, clock, jobs, mail } = options;
  const perAccount = createRateLimiter({
    clock,
    points: limits.resetMails,
    seconds: limits.resetMailsSeconds,
  });

  return {
    /**
     * Lets a link be sent, if somebody has this address. Does the same if nobody has, so that neither the answer nor its time
     * says whether anybody has. Throws `mail-not-set`.
     */
    async start(
      { email, language }: { email: string; language: LanguageTag },
      { address }: Pick<RequestSource, "address">,
      webUrl: string,
    ): Promise<void> {
      if (!(await mail.isSet())) throw new AppError("mail-not-set");
      const account = await findAccount(db.read, { emailKey: emailKey(email) });
      const about = account === undefined ? {} : { userId: account.id };
      await jobs.add("reset-mail", randomCharacters(24), { language, address, webUrl }, about);
    },

    /** Sends the link. */
    async answer(
      { language, address, webUrl }: Payloads["reset-mail"],
      { userId }: { userId: string | null },
    ): Promise<void> {
      // SQLite answers at once: the person who asked gets their answer first.
      await setImmediate();
      const account = userId === null ? undefined : await findAccount(db.read, { id: userId });
      if (account === undefined || account.joined_at === null || account.disabled_at !== null) return;
      try {
        perAccount.spend(account.id);
      } catch {
        return;
      }
      const token = await db.write(async (tx) => {
        await lockUsers(tx, [account.id]);
        const actor = { id: account.id, address };
        return await createResetToken(tx, account.id, actor, clock.now(), "mailed");
      });
      const server = new URL(webUrl).host;
      // To the address of the account: the one in the request may be written differently.
      await mail.deliver(account.email!, {
        kind: "reset",
        language,
        server,
        link: `${webUrl}/reset#${token}`,
      });
    },
  };
}
