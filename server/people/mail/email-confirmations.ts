import { domainOf, mailboxOf } from "#contract/accounts/email.ts";
import type { LanguageTag } from "#contract/i18n/languages.ts";
import { randomCharacters } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit } from "#server/audit/audit.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { createRateLimiter } from "#server/lib/rate-limit.ts";
import type { Mail } from "./mail.ts";
import { publishRightsChangeOf } from "../rights/rows.ts";
import { revokeSessionsOf } from "#server/sign-in/rows.ts";
import type { ClaimPrepared } from "../prepared/claim-prepared.ts";
import { hashOf } from "#server/sign-in/secrets.ts";
import { emailDomainsOf } from "../accounts/policy.ts";
import * as rows from "../accounts/rows.ts";

/**
 * Lets people with an address of an allowed domain in, once they have proved that it is theirs: with a link in an e-mail,
 * and with the password or passkey that they chose. With the link alone, somebody could sign up with another person's
 * address, and that person would confirm it.
 */
export type EmailConfirmations = ReturnType<typeof createEmailConfirmations>;

/** In which language to write, and to which server the link leads. */
export type Mailing = { language: LanguageTag; webUrl: string };

export function createEmailConfirmations(options: {
  db: Database;
  clock: SteadyClock;
  logger: Logger;
  mail: Mail;
  claimPrepared: ClaimPrepared;
}) {
  const { db, clock, logger, mail, claimPrepared } = options;
  const perMailbox = createRateLimiter({
    clock,
    points: limits.confirmationMails,
    seconds: limits.confirmationMailsSeconds,
  });
  const inTotal = createRateLimiter({
    clock,
    points: limits.allConfirmationMails,
    seconds: limits.allConfirmationMailsSeconds,
  });

  /** Throws `rate-limited`. */
  async function mailLink(userId: string, email: string, { language, webUrl }: Mailing): Promise<boolean> {
    if (!(await mail.isSet())) return false;
    perMailbox.spend(mailboxOf(email));
    inTotal.spend("all");
    // 48 characters of 5 bits: 240 random bits.
    const token = `confirm_0${randomCharacters(48)}`;
    await db.write(async (tx) => {
      const nowMs = clock.now();
      await rows.insertToken(tx, {
        token_hash: hashOf(token),
        purpose: "confirm",
        user_id: userId,
        created_at: nowMs,
        expires_at: nowMs + limits.confirmationLinkMs,
      });
    });
    const server = new URL(webUrl).host;
    const link = `${webUrl}/sign-in#${token}`;
    const isMailed = await mail.deliver(email, { kind: "confirm", language, server, link });
    // An administrator decides, and the request does not expire as one with a link does.
    if (!isMailed) await db.write(async (tx) => await rows.deleteToken(tx, hashOf(token)));
    return isMailed;
  }

  /**
   * Sends a link to somebody who waits for an account. Returns whether the mail server took it: if not, for whatever
   * reason, the request for the account waits for an administrator.
   */
  async function send(userId: string, email: string, mailing: Mailing): Promise<boolean> {
    try {
      return await mailLink(userId, email, mailing);
    } catch (error) {
      const isExpected = error instanceof AppError && error.code === "rate-limited";
      logger.warn(isExpected ? {} : { err: error }, "a link to confirm an e-mail address was not sent");
      return false;
    }
  }

  return {
    send,

    /**
     * Sends another link to somebody who has proved who they are and still waits: the first may be lost or expired. Returns
     * whether it was sent.
     */
    async sendAgain(userId: string, mailing: Mailing): Promise<boolean> {
      const account = await rows.findAccount(db.read, { id: userId });
      if (account === undefined || account.joined_at !== null || account.email === null) return false;
      if (!(await emailDomainsOf(db.read)).includes(domainOf(account.email))) return false;
      return await send(userId, account.email, mailing);
    },

    /**
     * With the account of somebody who waits locked, after they have proved who they are: makes them a member if the token
     * is theirs and the domain is still allowed. Returns the account as it is then.
     */
    async admit(tx: Tx, account: rows.AccountRow, token: string, address: string): Promise<rows.AccountRow> {
      const nowMs = clock.now();
      const link = await rows.findUsableToken(tx.q, "confirm", hashOf(token), nowMs);
      if (link?.user_id !== account.id || account.email === null) return account;
      if (!(await emailDomainsOf(tx.q)).includes(domainOf(account.email))) return account;
      if (!(await rows.deleteJoinRequest(tx, account.id))) return account;
      await rows.changeUser(tx, account.id, { kind: "member", joined_at: nowMs, email_verified_at: nowMs });
      await claimPrepared(tx, account.id, account.email, nowMs);
      await rows.endTokensOf(tx, account.id, nowMs);
      // Others may know a session from before.
      await revokeSessionsOf(tx, account.id, "all", nowMs);
      publishRightsChangeOf(tx, account.id);
      const details = { by: "e-mail domain" };
      await recordAudit(
        tx,
        { action: "account-created", actor: { id: account.id, address }, details },
        nowMs,
      );
      return (await rows.findAccount(tx.q, { id: account.id }))!;
    },
  };
}
