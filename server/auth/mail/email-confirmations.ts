import { domainOf } from "#contract/accounts/email.ts";
import type { MailLanguage } from "#contract/accounts/mail-texts.ts";
import { randomCharacters } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Mail } from "./mail.ts";
import { publishRightsChangeOf } from "../rights/rows.ts";
import { revokeSessionsOf } from "../rows.ts";
import { hashOf } from "../secrets.ts";
import { emailDomainsOf } from "../accounts/policy.ts";
import * as rows from "../accounts/rows.ts";

/**
 * Lets people with an address of an allowed domain in, once they have proved that it is theirs: with a link in an e-mail,
 * and with the password or passkey that they chose. With the link alone, somebody could sign up with another person's
 * address, and that person would confirm it.
 */
export type EmailConfirmations = ReturnType<typeof createEmailConfirmations>;

export function createEmailConfirmations(options: { db: Database; clock: Clock; mail: Mail }) {
  const { db, clock, mail } = options;

  return {
    /** Sends a link to somebody who waits for an account. Returns whether the mail server took it. */
    async send(userId: string, email: string, language: MailLanguage, webUrl: string): Promise<boolean> {
      if (!(await mail.isSet())) return false;
      // 48 characters of 5 bits: 240 random bits.
      const token = `confirm_0${randomCharacters(48)}`;
      await db.write(async (tx) => {
        const nowMs = clock.now();
        await rows.insertToken(tx, {
          token_hash: hashOf(token),
          purpose: "confirm",
          user_id: userId,
          created_at: nowMs,
          expires_at: nowMs + limits.resetLinkMs,
        });
      });
      const server = new URL(webUrl).host;
      const link = `${webUrl}/sign-in#${token}`;
      return await mail.deliver(email, { kind: "confirm", language, server, link });
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
